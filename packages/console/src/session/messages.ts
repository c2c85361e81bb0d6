import { DecryptionError, UsageError } from '@document-vault/sdk';
import { explain } from '../messages/errors.ts';
import { catalogue } from '../messages/language.ts';
import { PasskeyError } from '../service/passkeys.ts';

/** Texts of signing in and of the passphrase. */
export const sessionTexts = catalogue({
  signIn: ['Sign in', 'Anmelden'],
  signInLead: [
    'Your documents are encrypted in this browser before they leave it.',
    'Ihre Dokumente werden in diesem Browser verschlüsselt, bevor sie ihn verlassen.',
  ],
  stay: ['Stay signed in on this device', 'Auf diesem Gerät angemeldet bleiben'],
  stayHint: [
    'The session and the key stay in this browser. Scripts of this page cannot copy the key, but they can use it; a stolen disk may yield it.',
    'Die Sitzung und der Schlüssel bleiben in diesem Browser. Skripte dieser Seite können den Schlüssel nicht kopieren, aber benutzen; eine gestohlene Festplatte kann ihn preisgeben.',
  ],
  newHere: ['New here?', 'Neu hier?'],
  register: ['Create an account', 'Konto anlegen'],
  registerLead: [
    'The account protects access. A passphrase, which you choose next, encrypts the documents.',
    'Das Konto schützt den Zugang. Eine Passphrase, die Sie danach wählen, verschlüsselt die Dokumente.',
  ],
  haveAccount: ['Do you have an account?', 'Haben Sie ein Konto?'],
  closed: [
    'Registration is closed. Ask the operator of this service for an account.',
    'Die Registrierung ist geschlossen. Bitten Sie den Betreiber des Dienstes um ein Konto.',
  ],
  registered: ['The account exists. Sign in.', 'Das Konto ist angelegt. Melden Sie sich an.'],
  unlock: ['Unlock your documents', 'Dokumente entsperren'],
  unlockLead: [
    'Your documents are encrypted. Your keys never leave this browser.',
    'Ihre Dokumente sind verschlüsselt. Ihre Schlüssel verlassen diesen Browser nie.',
  ],
  passphrase: ['Passphrase', 'Passphrase'],
  recoveryKey: ['Recovery key', 'Wiederherstellungsschlüssel'],
  passkey: ['Passkey', 'Passkey'],
  recoveryKeyHint: [
    'Nine groups of four characters. They are on your recovery kit.',
    'Neun Gruppen mit je vier Zeichen. Sie stehen auf Ihrem Notfallblatt.',
  ],
  recoveryKeyLost: [
    'The console was locked before you had kept the new recovery key, and it is not shown again. Unlock, then add another one under “Encryption”.',
    'Die Konsole wurde gesperrt, bevor Sie den neuen Wiederherstellungsschlüssel gesichert hatten. Er wird nicht noch einmal gezeigt. Entsperren Sie, und fügen Sie dann unter „Verschlüsselung“ einen anderen hinzu.',
  ],
  unlockAction: ['Unlock', 'Entsperren'],
  usePasskey: ['Unlock with a passkey', 'Mit Passkey entsperren'],
  useRecoveryKey: ['Use the recovery key', 'Wiederherstellungsschlüssel verwenden'],
  usePassphrase: ['Use the passphrase', 'Passphrase verwenden'],
  allLost: ['I have lost everything', 'Ich habe alles verloren'],
  wrongSecret: [
    'This does not open your keyring. Check for a typo.',
    'Damit lässt sich Ihr Schlüsselbund nicht öffnen. Prüfen Sie die Eingabe.',
  ],
  invalidSecret: [
    'This is not valid. Check for a typo: a recovery key has nine groups of four characters.',
    'Die Eingabe ist ungültig. Suchen Sie nach einem Tippfehler: Ein Wiederherstellungsschlüssel hat neun Gruppen mit je vier Zeichen.',
  ],
  badKeyring: [
    'The stored keyring was changed or damaged. Ask the operator of the service to restore it from a backup.',
    'Der gespeicherte Schlüsselbund wurde verändert oder beschädigt. Bitten Sie den Betreiber des Dienstes, ihn aus einer Sicherung wiederherzustellen.',
  ],
  passkeyUnable: [
    'This passkey does not support encryption. Use a passkey on your phone or computer, or a newer security key.',
    'Dieser Passkey unterstützt keine Verschlüsselung. Verwenden Sie einen Passkey auf Ihrem Telefon oder Computer oder einen neueren Sicherheitsschlüssel.',
  ],
  passkeyKnown: [
    'This device already has a passkey for your keyring.',
    'Auf diesem Gerät gibt es schon einen Passkey für Ihren Schlüsselbund.',
  ],
  passkeyRefused: ['No passkey was used.', 'Es wurde kein Passkey verwendet.'],
  passkeyAddress: [
    'Passkeys need a host name, not an IP address. Use the passphrase.',
    'Passkeys brauchen einen Hostnamen, keine IP-Adresse. Verwenden Sie die Passphrase.',
  ],
  first: ['Choose a passphrase', 'Passphrase wählen'],
  firstLead: [
    'It encrypts your documents. The service does not know it and cannot reset it. In the next step, you get a recovery key in case you forget it.',
    'Sie verschlüsselt Ihre Dokumente. Der Dienst kennt sie nicht und kann sie nicht zurücksetzen. Im nächsten Schritt erhalten Sie einen Wiederherstellungsschlüssel, falls Sie sie vergessen.',
  ],
  repeat: ['Repeat the passphrase', 'Passphrase wiederholen'],
  different: ['The two passphrases differ.', 'Die beiden Passphrasen sind verschieden.'],
  tooShort: [
    'Use at least 12 characters, or let the console generate a passphrase.',
    'Verwenden Sie mindestens 12 Zeichen, oder lassen Sie eine Passphrase erzeugen.',
  ],
  own: ['My own', 'Eigene'],
  generated: ['Generated', 'Erzeugte'],
  how: ['Kind of passphrase', 'Art der Passphrase'],
  generatedHint: [
    'Put it into a password manager, or write it down.',
    'Speichern Sie sie in einem Passwort-Manager, oder schreiben Sie sie auf.',
  ],
  another: ['Generate again', 'Neu erzeugen'],
  saved: ['I have saved the passphrase', 'Ich habe die Passphrase gesichert'],
  saveFirst: [
    'Save the passphrase first, then tick this box.',
    'Sichern Sie zuerst die Passphrase, und setzen Sie dann dieses Häkchen.',
  ],
  begin: ['Use this passphrase', 'Diese Passphrase verwenden'],
  deriving: ['Deriving the key', 'Schlüssel wird abgeleitet'],
  newPassphrase: ['New passphrase', 'Neue Passphrase'],
  replaceTitle: ['Choose a new passphrase', 'Neue Passphrase wählen'],
  replaceLead: [
    'Your documents are unlocked. Replace the passphrase that you have forgotten.',
    'Ihre Dokumente sind entsperrt. Ersetzen Sie die Passphrase, die Sie vergessen haben.',
  ],
  later: ['Not now', 'Nicht jetzt'],
  anew: ['Start anew', 'Neu beginnen'],
  anewWarning: [
    'Without passphrase, recovery key and passkey, no one can open your encrypted documents, not even the operator. They stay stored, but unreadable. The new keyring is for new documents only.',
    'Ohne Passphrase, Wiederherstellungsschlüssel und Passkey kann niemand Ihre verschlüsselten Dokumente öffnen, auch nicht der Betreiber. Sie bleiben gespeichert, aber unlesbar. Der neue Schlüsselbund gilt nur für neue Dokumente.',
  ],
  anewWord: ['lost', 'verloren'],
  anewAction: ['Give up the old documents', 'Die alten Dokumente aufgeben'],
  back: ['Back', 'Zurück'],
  kit: ['Keep your recovery key', 'Wiederherstellungsschlüssel sichern'],
  kitLead: [
    'It opens your documents if you forget the passphrase. It is shown only now. Print it, or save it where others cannot read it.',
    'Er öffnet Ihre Dokumente, falls Sie die Passphrase vergessen. Er wird nur jetzt gezeigt. Drucken Sie ihn, oder speichern Sie ihn dort, wo andere ihn nicht lesen.',
  ],
  print: ['Print', 'Drucken'],
  saveKit: ['Save', 'Speichern'],
  lastGroup: ['Last group of the recovery key', 'Letzte Gruppe des Schlüssels'],
  lastGroupHint: [
    'Type the last four characters from your copy.',
    'Geben Sie die letzten vier Zeichen aus Ihrer Kopie ein.',
  ],
  otherGroup: [
    'These are not the last four characters of the recovery key.',
    'Das sind nicht die letzten vier Zeichen des Schlüssels.',
  ],
  confirmed: ['I have kept it', 'Ich habe ihn gesichert'],
  kitTitle: ['Document Vault: recovery kit', 'Document Vault: Notfallblatt'],
  kitService: ['Service', 'Dienst'],
  kitAccount: ['Account', 'Konto'],
  kitDate: ['Date', 'Datum'],
  kitAdvice: [
    'Keep this sheet in a safe place. Anyone who has it and your password can read your documents. If passphrase and recovery key are lost, no one can, not even the operator of the service.',
    'Bewahren Sie dieses Blatt sicher auf. Wer es und Ihr Passwort hat, kann Ihre Dokumente lesen. Sind Passphrase und Wiederherstellungsschlüssel verloren, kann es niemand, auch nicht der Betreiber des Dienstes.',
  ],
  insecure: [
    'Documents can be opened only over https or on localhost.',
    'Dokumente lassen sich nur über https oder auf localhost öffnen.',
  ],
});

/** Explains an error of unlocking or changing the keyring. */
export function explainKeyringError(error: unknown): string {
  const t = sessionTexts.value;
  if (error instanceof DecryptionError) {
    return error.reason === 'key' ? t.wrongSecret : t.badKeyring;
  }
  if (error instanceof UsageError) return t.invalidSecret;
  if (error instanceof PasskeyError) return t.passkeyUnable;
  const passkeyProblems: Readonly<Record<string, string>> = {
    NotAllowedError: t.passkeyRefused,
    InvalidStateError: t.passkeyKnown,
    SecurityError: t.passkeyAddress,
  };
  const problem = error instanceof DOMException && passkeyProblems[error.name];
  return problem || explain(error);
}
