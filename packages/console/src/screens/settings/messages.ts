import { catalogue } from '../../messages/language.ts';

export const settingTexts = catalogue(
  {
    title: 'Settings',
    profile: 'Profile',
    profileText: 'Your name, and the address that you sign in with.',
    currentPassword: 'Current password',
    currentPasswordHint: 'For a new address only.',
    saved: 'Your profile is saved.',
    passwordText:
      'A new password ends all other sessions. It is not the passphrase of your documents.',
    newPassword: 'New password',
    passwordShort: 'Enter at least 12 characters.',
    passwordNeeded: 'Enter your current password.',
    revokeApiKeys: 'Also revoke all API keys',
    changePassword: 'Change the password',
    passwordChanged: 'Your password is changed. Other sessions are ended.',
    appearance: 'This browser',
    appearanceText: 'These choices stay in this browser.',
    usage: 'Usage',
    usageText: 'What your account uses of the limits of its tier.',
    danger: 'Delete the account',
    dangerText:
      'Deletes all vaults, documents, share links, API keys and webhooks. This cannot be undone.',
    deleteTitle: 'Delete your account?',
    deleteAction: 'Delete everything',
  },
  {
    title: 'Einstellungen',
    profile: 'Profil',
    profileText: 'Ihr Name und die Adresse, mit der Sie sich anmelden.',
    currentPassword: 'Jetziges Passwort',
    currentPasswordHint: 'Nur für eine neue Adresse.',
    saved: 'Ihr Profil ist gespeichert.',
    passwordText:
      'Ein neues Passwort beendet alle anderen Sitzungen. Es ist nicht die Passphrase Ihrer Dokumente.',
    newPassword: 'Neues Passwort',
    passwordShort: 'Geben Sie mindestens 12 Zeichen ein.',
    passwordNeeded: 'Geben Sie Ihr jetziges Passwort ein.',
    revokeApiKeys: 'Auch alle API-Schlüssel widerrufen',
    changePassword: 'Passwort ändern',
    passwordChanged: 'Ihr Passwort ist geändert. Andere Sitzungen sind beendet.',
    appearance: 'Dieser Browser',
    appearanceText: 'Diese Einstellungen bleiben in diesem Browser.',
    usage: 'Nutzung',
    usageText: 'Was Ihr Konto von den Grenzen seines Tarifs nutzt.',
    danger: 'Konto löschen',
    dangerText:
      'Löscht alle Tresore, Dokumente, Freigabe-Links, API-Schlüssel und Webhooks. Das lässt sich nicht rückgängig machen.',
    deleteTitle: 'Ihr Konto löschen?',
    deleteAction: 'Alles löschen',
  },
);
