import { catalogue } from '../../messages/language.ts';

export const encryptionTexts = catalogue({
  title: ['Encryption', 'Verschlüsselung'],
  description: [
    'The passphrase, recovery keys and passkeys of your documents.',
    'Passphrase, Wiederherstellungsschlüssel und Passkeys Ihrer Dokumente.',
  ],
  unlockers: ['Your keyring', 'Ihr Schlüsselbund'],
  lead: [
    'One key encrypts all of your vaults. Each entry below unlocks it. The service stores it encrypted and cannot open it.',
    'Ein Schlüssel verschlüsselt alle Ihre Tresore. Jeder Eintrag der Liste entsperrt ihn. Der Dienst speichert ihn verschlüsselt und kann ihn nicht öffnen.',
  ],
  add: ['Add', 'Hinzufügen'],
  remove: ['Remove', 'Entfernen'],
  confirmWith: ['Confirm with', 'Bestätigen mit'],
  currentPassphrase: ['Current passphrase', 'Aktuelle Passphrase'],
  changeTitle: ['Change the passphrase', 'Passphrase ändern'],
  changeLead: [
    'Documents, names and links stay as they are. Other devices ask for the new passphrase when they are unlocked next. Older backups of the service can still be opened with the old one.',
    'Dokumente, Namen und Links bleiben, wie sie sind. Andere Geräte fragen beim nächsten Entsperren nach der neuen Passphrase. Ältere Sicherungen des Dienstes lassen sich weiterhin mit der alten öffnen.',
  ],
  changed: ['The passphrase is changed.', 'Die Passphrase ist geändert.'],
  addRecoveryKey: ['Add a recovery key', 'Wiederherstellungsschlüssel hinzufügen'],
  addRecoveryKeyLead: [
    'A second one can be kept in another place, or unlock a program of yours.',
    'Einen zweiten können Sie an einem anderen Ort aufbewahren oder einem Ihrer Programme geben.',
  ],
  addPasskey: ['Add a passkey', 'Passkey hinzufügen'],
  addPasskeyLead: [
    'Your device then unlocks the documents by fingerprint, face or PIN. Keep the passphrase: a passkey can be lost with its device.',
    'Ihr Gerät entsperrt die Dokumente dann mit Fingerabdruck, Gesicht oder PIN. Behalten Sie die Passphrase: Ein Passkey kann mit dem Gerät verloren gehen.',
  ],
  passkeyAdded: ['The passkey is set up.', 'Der Passkey ist eingerichtet.'],
  removeTitle: [(name: string) => `Remove “${name}”?`, (name) => `„${name}“ entfernen?`],
  removeText: [
    'It will no longer unlock your documents. Older backups of the service can still be opened with it.',
    'Ihre Dokumente lassen sich damit nicht mehr entsperren. Ältere Sicherungen des Dienstes lassen sich damit weiterhin öffnen.',
  ],
  removed: [(name: string) => `“${name}” is removed.`, (name) => `„${name}“ ist entfernt.`],
});
