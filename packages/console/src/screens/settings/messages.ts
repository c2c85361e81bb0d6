import { catalogue } from '../../messages/language.ts';

export const settingTexts = catalogue({
  title: ['Settings', 'Einstellungen'],
  profile: ['Profile', 'Profil'],
  profileText: [
    'Your name, and the address that you sign in with.',
    'Ihr Name und die Adresse, mit der Sie sich anmelden.',
  ],
  currentPassword: ['Current password', 'Aktuelles Passwort'],
  currentPasswordHint: ['For a new address only.', 'Nur für eine neue Adresse.'],
  saved: ['Your profile is saved.', 'Ihr Profil ist gespeichert.'],
  passwordText: [
    'A new password ends all other sessions. It is not the passphrase of your keyring.',
    'Ein neues Passwort beendet alle anderen Sitzungen. Es ist nicht die Passphrase Ihres Schlüsselbunds.',
  ],
  newPassword: ['New password', 'Neues Passwort'],
  passwordShort: ['Enter at least 12 characters.', 'Geben Sie mindestens 12 Zeichen ein.'],
  passwordNeeded: ['Enter your current password.', 'Geben Sie Ihr aktuelles Passwort ein.'],
  revokeApiKeys: ['Also revoke all API keys', 'Auch alle API-Schlüssel widerrufen'],
  changePassword: ['Change the password', 'Passwort ändern'],
  passwordChanged: [
    'Your password is changed. Other sessions are ended.',
    'Ihr Passwort ist geändert. Andere Sitzungen sind beendet.',
  ],
  appearance: ['This browser', 'Dieser Browser'],
  appearanceText: [
    'These choices stay in this browser.',
    'Diese Einstellungen bleiben in diesem Browser.',
  ],
  usage: ['Usage', 'Nutzung'],
  usageText: [
    'What your account uses of the limits of its tier.',
    'Was Ihr Konto von den Grenzen seines Tarifs nutzt.',
  ],
  danger: ['Delete the account', 'Konto löschen'],
  dangerText: [
    'Deletes all vaults, documents, share links, API keys and webhooks. This cannot be undone.',
    'Löscht alle Tresore, Dokumente, Freigabe-Links, API-Schlüssel und Webhooks. Das lässt sich nicht rückgängig machen.',
  ],
  deleteTitle: ['Delete your account?', 'Ihr Konto löschen?'],
  deleteAction: ['Delete everything', 'Alles löschen'],
});
