import { catalogue } from '../../messages/language.ts';

export const encryptionTexts = catalogue({
  title: ['Encryption', 'Verschlüsselung'],
  description: ['What opens your documents.', 'Was Ihre Dokumente öffnet.'],
  unlockers: ['Your keyring', 'Ihr Schlüsselbund'],
  lead: [
    'One key encrypts all of your vaults. Each of these opens it. The service stores it encrypted and cannot open it.',
    'Ein Schlüssel verschlüsselt alle Ihre Tresore. Jedes davon öffnet ihn. Der Dienst speichert ihn verschlüsselt und kann ihn nicht öffnen.',
  ],
  passphrase: ['Passphrase', 'Passphrase'],
  recoveryKey: ['Recovery key', 'Wiederherstellungsschlüssel'],
  passkey: ['Passkey', 'Passkey'],
  add: ['Add', 'Hinzufügen'],
  remove: ['Remove', 'Entfernen'],
  present: ['What opens the keyring now', 'Was den Schlüsselbund jetzt öffnet'],
  presentPassphrase: ['Current passphrase', 'Jetzige Passphrase'],
  changeTitle: ['Change the passphrase', 'Passphrase ändern'],
  changeLead: [
    'Documents, names and links stay as they are. Other devices ask for the new passphrase when they are unlocked next. Old copies of the service still open with the old one.',
    'Dokumente, Namen und Links bleiben, wie sie sind. Andere Geräte fragen beim nächsten Entsperren nach der neuen Passphrase. Alte Kopien des Dienstes öffnet weiterhin die alte.',
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
  passkeyAdded: ['The passkey opens your documents.', 'Der Passkey öffnet Ihre Dokumente.'],
  removeTitle: [(name: string) => `Remove “${name}”?`, (name) => `„${name}“ entfernen?`],
  removeText: [
    'It no longer opens your documents. Old copies of the service, such as its backups, still open with it.',
    'Es öffnet Ihre Dokumente nicht mehr. Alte Kopien des Dienstes, etwa seine Sicherungen, öffnet es weiterhin.',
  ],
  removed: [(name: string) => `“${name}” is removed.`, (name) => `„${name}“ ist entfernt.`],
});
