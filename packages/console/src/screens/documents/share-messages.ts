import { counted, formatNumber } from '../../messages/format.ts';
import { catalogue } from '../../messages/language.ts';

export const shareTexts = catalogue({
  title: [(name: string) => `Share “${name}”`, (name) => `„${name}“ freigeben`],
  links: ['Links', 'Links'],
  newLink: ['New link', 'Neuer Link'],
  existing: ['Existing links', 'Vorhandene Links'],
  lead: [
    'Anyone with the link can open this document, without account and passphrase. Treat it as a secret.',
    'Mit dem Link kann jeder dieses Dokument öffnen, ohne Konto und Passphrase. Behandeln Sie ihn als Geheimnis.',
  ],
  anyone: ['Anyone with the link', 'Alle mit dem Link'],
  authenticated: ['Users of this service', 'Benutzer dieses Dienstes'],
  expires: ['Ends after', 'Endet nach'],
  days: [
    (count: number) => (count === 1 ? '1 day' : count === 365 ? '1 year' : `${count} days`),
    (count) => (count === 1 ? '1 Tag' : count === 365 ? '1 Jahr' : `${count} Tagen`),
  ],
  cap: ['Number of accesses', 'Anzahl der Zugriffe'],
  noCap: ['Any number', 'Beliebig viele'],
  create: ['Create the link', 'Link erstellen'],
  created: [
    'The link is ready. It is shown this once: neither link nor key is stored.',
    'Der Link ist bereit. Er wird nur jetzt gezeigt: Weder Link noch Schlüssel werden gespeichert.',
  ],
  copyLink: ['Copy the link', 'Link kopieren'],
  another: ['Create another link', 'Weiteren Link erstellen'],
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
