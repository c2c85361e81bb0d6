import { catalogue } from '../../messages/language.ts';

export const activityTexts = catalogue({
  title: ['Activity', 'Aktivität'],
  description: [
    'Everything that happened in your account in the last 30 days.',
    'Alles, was in Ihrem Konto in den letzten 30 Tagen geschah.',
  ],
  event: ['Event', 'Ereignis'],
  about: ['About', 'Gegenstand'],
  by: ['From', 'Von'],
  service: ['The service', 'Der Dienst'],
  since: ['From', 'Von'],
  until: ['Until', 'Bis'],
  request: ['Request', 'Anfrage'],
  emptyTitle: ['Nothing happened yet', 'Noch ist nichts geschehen'],
  empty: [
    'Sign-ins, changes of vaults and documents, and opened shares appear here.',
    'Hier erscheinen Anmeldungen, Änderungen an Tresoren und Dokumenten und geöffnete Freigaben.',
  ],
});
