import { counted, formatNumber } from '../../messages/format.ts';
import { catalogue } from '../../messages/language.ts';

export const shareTexts = catalogue({
  title: [(name: string) => `Share “${name}”`, (name) => `„${name}“ freigeben`],
  links: ['Links', 'Links'],
  newLink: ['New link', 'Neuer Link'],
  existing: ['Existing links', 'Vorhandene Links'],
  access: ['Who may open it', 'Wer es öffnen darf'],
  anyone: ['Anyone with the link', 'Alle mit dem Link'],
  authenticated: ['Users of this service', 'Benutzer dieses Dienstes'],
  anyoneHint: [
    'The link opens this document without account and passphrase. Treat it as a secret.',
    'Der Link öffnet dieses Dokument ohne Konto und Passphrase. Behandeln Sie ihn als Geheimnis.',
  ],
  authenticatedHint: [
    'You get a token for the API. Opening it needs an account here and the passphrase of the document.',
    'Sie erhalten ein Token für die API. Zum Öffnen braucht man ein Konto hier und die Passphrase des Dokuments.',
  ],
  expires: ['Ends after', 'Endet nach'],
  days: [
    (count: number) => (count === 1 ? '1 day' : count === 365 ? '1 year' : `${count} days`),
    (count) => (count === 1 ? '1 Tag' : count === 365 ? '1 Jahr' : `${count} Tagen`),
  ],
  cap: ['Number of accesses', 'Anzahl der Zugriffe'],
  noCap: ['Any number', 'Beliebig viele'],
  create: ['Create the link', 'Link erstellen'],
  createdLink: [
    'The link is ready. It is shown this once: neither link nor key is stored.',
    'Der Link ist bereit. Er wird nur jetzt gezeigt: Weder Link noch Schlüssel werden gespeichert.',
  ],
  createdToken: [
    'The token is ready. It is shown this once: the service stores only its hash.',
    'Das Token ist bereit. Es wird nur jetzt gezeigt: Der Dienst speichert nur seinen Hash.',
  ],
  copyLink: ['Copy the link', 'Link kopieren'],
  copyToken: ['Copy the token', 'Token kopieren'],
  another: ['Another one', 'Noch einer'],
  ends: [(time: string) => `Ends on ${time}`, (time) => `Endet am ${time}`],
  qr: ['The link as a QR code', 'Der Link als QR-Code'],
  noLinks: ['This document has no links yet.', 'Dieses Dokument hat noch keine Links.'],
  opened: [
    (count: number) => `Opened ${counted(count, 'time', 'times')}`,
    (count) => `${formatNumber(count)}-mal geöffnet`,
  ],
  openedOf: [
    (count: number, cap: number) =>
      `Opened ${formatNumber(count)} of ${counted(cap, 'time', 'times')}`,
    (count, cap) => `${formatNumber(count)} von ${counted(cap, 'Zugriff', 'Zugriffen')}`,
  ],
  until: [(distance: string) => `ends ${distance}`, (distance) => `endet ${distance}`],
  active: ['Active', 'Aktiv'],
  ended: ['Ended', 'Beendet'],
  over: ['expired, revoked or used up', 'abgelaufen, widerrufen oder aufgebraucht'],
  shown: [
    (shown: string, all: string) => (shown === all ? `${all} in all` : `${shown} of ${all}`),
    (shown, all) => (shown === all ? `${all} insgesamt` : `${shown} von ${all}`),
  ],
  log: ['Access log', 'Zugriffe'],
  revoked: ['The link no longer works.', 'Der Link funktioniert nicht mehr.'],
});
