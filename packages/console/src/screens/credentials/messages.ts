import { catalogue } from '../../messages/language.ts';

export const keyTexts = catalogue({
  title: ['API keys', 'API-Schlüssel'],
  description: [
    'Programs use a key in the place of your password.',
    'Programme verwenden einen Schlüssel anstelle Ihres Passworts.',
  ],
  create: ['New API key', 'Neuer API-Schlüssel'],
  createAction: ['Create the key', 'Schlüssel anlegen'],
  created: ['The API key is created', 'Der API-Schlüssel ist angelegt'],
  nameHint: [
    'Recognise it by where it is used, such as “Backup job”.',
    'Erkennbar daran, wo er verwendet wird, etwa „Sicherung“.',
  ],
  never: ['Never', 'Nie'],
  expires: ['Expires', 'Läuft ab'],
  expiry: ['Expiry', 'Ablauf'],
  days: [(count: number) => `After ${count} days`, (count) => `Nach ${count} Tagen`],
  year: ['After a year', 'Nach einem Jahr'],
  revokeTitle: [(name: string) => `Revoke “${name}”?`, (name) => `„${name}“ widerrufen?`],
  revokeText: [
    'Programs with this key are refused from now on. This cannot be undone.',
    'Programme mit diesem Schlüssel werden ab jetzt abgewiesen. Das lässt sich nicht rückgängig machen.',
  ],
  revoked: [(name: string) => `“${name}” is revoked.`, (name) => `„${name}“ ist widerrufen.`],
  emptyTitle: ['No API keys yet', 'Noch keine API-Schlüssel'],
  empty: [
    'Create a key for each program, with the scopes that it needs.',
    'Legen Sie für jedes Programm einen an, mit den Berechtigungen, die es braucht.',
  ],
});

export const clientTexts = catalogue({
  title: ['OAuth clients', 'OAuth-Clients'],
  description: [
    'Apps that ask other users for access to their accounts.',
    'Apps, die andere Benutzer um Zugriff auf ihre Konten bitten.',
  ],
  off: [
    'This service does not serve OAuth now: apps cannot ask for access until its operator turns it on.',
    'Dieser Dienst bietet OAuth gerade nicht an: Apps können erst um Zugriff bitten, wenn sein Betreiber es einschaltet.',
  ],
  create: ['New OAuth client', 'Neuer OAuth-Client'],
  createAction: ['Create the client', 'Client anlegen'],
  created: ['The OAuth client is created', 'Der OAuth-Client ist angelegt'],
  changeTitle: ['Change the OAuth client', 'OAuth-Client ändern'],
  endsVerification: [
    'Changing the name or an address to return to ends the verification, until an administrator verifies the app again.',
    'Ein neuer Name oder eine neue Adresse hebt die Bestätigung der App auf, bis ein Administrator sie erneut bestätigt.',
  ],
  nameHint: [
    'Users see this name when the app asks them for access.',
    'Benutzer sehen diesen Namen, wenn die App sie um Zugriff bittet.',
  ],
  clientId: ['Client id', 'Client-ID'],
  clientSecret: ['Client secret', 'Client-Geheimnis'],
  noSecret: [
    'A public client has no secret. It needs the client id alone.',
    'Ein öffentlicher Client hat kein Geheimnis. Er braucht nur die Client-ID.',
  ],
  type: ['Type', 'Art'],
  confidential: [
    'Confidential: runs on a server and keeps a secret',
    'Vertraulich: läuft auf einem Server und hat ein Geheimnis',
  ],
  public: [
    'Public: runs on the devices of its users',
    'Öffentlich: läuft auf den Geräten seiner Benutzer',
  ],
  confidentialShort: ['Confidential', 'Vertraulich'],
  publicShort: ['Public', 'Öffentlich'],
  redirectUris: ['Addresses to return to', 'Rücksprungadressen'],
  redirectUrisHint: [
    'One in each line. https, or http on 127.0.0.1.',
    'Eine je Zeile. https, oder http auf 127.0.0.1.',
  ],
  verified: ['Verified', 'Bestätigt'],
  enabled: ['Enabled', 'Aktiv'],
  disabled: ['Disabled', 'Abgeschaltet'],
  disable: ['Disable', 'Abschalten'],
  enable: ['Enable', 'Einschalten'],
  isDisabled: [
    (name: string) => `“${name}” is refused from now on.`,
    (name) => `„${name}“ wird ab jetzt abgewiesen.`,
  ],
  isEnabled: [
    (name: string) => `“${name}” is accepted again.`,
    (name) => `„${name}“ wird wieder angenommen.`,
  ],
  rotate: ['New secret', 'Neues Geheimnis'],
  rotateTitle: [
    (name: string) => `A new secret for “${name}”?`,
    (name) => `Ein neues Geheimnis für „${name}“?`,
  ],
  rotateText: [
    'The present secret stays valid for 24 hours. Change it in your app until then.',
    'Das jetzige Geheimnis gilt noch 24 Stunden. Ändern Sie es bis dahin in Ihrer App.',
  ],
  deleteText: [
    'All access that users gave to it ends. This cannot be undone.',
    'Jeder Zugriff, den Benutzer ihm gaben, endet. Das lässt sich nicht rückgängig machen.',
  ],
  emptyTitle: ['No OAuth clients yet', 'Noch keine OAuth-Clients'],
  empty: [
    'Register your app, so that it can ask users for access to their accounts.',
    'Registrieren Sie Ihre App, damit sie Benutzer um Zugriff bitten kann.',
  ],
});
