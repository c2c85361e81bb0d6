import { catalogue } from '../messages/language.ts';

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
  expired: [
    'Your session has ended. Sign in again.',
    'Ihre Sitzung ist beendet. Melden Sie sich erneut an.',
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
    'Enter the passphrase of your documents. It never leaves this browser.',
    'Geben Sie die Passphrase Ihrer Dokumente ein. Sie verlässt diesen Browser nie.',
  ],
  passphrase: ['Passphrase', 'Passphrase'],
  unlockAction: ['Unlock', 'Entsperren'],
  wrongPassphrase: [
    'This passphrase does not open your newest document. Check for a typo.',
    'Diese Passphrase öffnet Ihr neuestes Dokument nicht. Prüfen Sie die Eingabe.',
  ],
  first: ['Choose a passphrase', 'Passphrase wählen'],
  firstLead: [
    'It encrypts your documents. The service does not know it and cannot reset it: without it, your documents are lost.',
    'Sie verschlüsselt Ihre Dokumente. Der Dienst kennt sie nicht und kann sie nicht zurücksetzen: Ohne sie sind Ihre Dokumente verloren.',
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
    'Print it or put it into a password manager before you go on.',
    'Drucken Sie sie, oder speichern Sie sie in einem Passwort-Manager, bevor Sie fortfahren.',
  ],
  another: ['Another one', 'Eine andere'],
  print: ['Print the kit', 'Blatt drucken'],
  saved: ['I have saved the passphrase', 'Ich habe die Passphrase gesichert'],
  saveFirst: [
    'Save the passphrase first, then tick this box.',
    'Sichern Sie zuerst die Passphrase, und haken Sie dann dieses Feld an.',
  ],
  begin: ['Use this passphrase', 'Diese Passphrase verwenden'],
  deriving: ['Deriving the key', 'Schlüssel wird abgeleitet'],
  kitTitle: ['Document Vault: recovery kit', 'Document Vault: Notfallblatt'],
  kitService: ['Service', 'Dienst'],
  kitAccount: ['Account', 'Konto'],
  kitDate: ['Printed', 'Gedruckt'],
  kitAdvice: [
    'Keep this sheet in a safe place. Anyone who has it and your password can read your documents. Without the passphrase no one can, not even the operator of the service.',
    'Bewahren Sie dieses Blatt sicher auf. Wer es und Ihr Passwort hat, kann Ihre Dokumente lesen. Ohne die Passphrase kann es niemand, auch nicht der Betreiber des Dienstes.',
  ],
  insecure: [
    'Documents can be opened only by https or on localhost.',
    'Dokumente lassen sich nur mit https oder auf localhost öffnen.',
  ],
});
