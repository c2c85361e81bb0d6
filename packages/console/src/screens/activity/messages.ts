import { catalogue } from '../../messages/language.ts';

export const activityTexts = catalogue(
  {
    title: 'Activity',
    description: 'Everything that happened in your account in the last 30 days.',
    event: 'Event',
    about: 'About',
    by: 'From',
    service: 'The service',
    since: 'From',
    until: 'Until',
    request: 'Request',
    emptyTitle: 'Nothing happened yet',
    empty: 'Sign-ins, changes of vaults and documents, and opened shares appear here.',
  },
  {
    title: 'Aktivität',
    description: 'Alles, was in Ihrem Konto in den letzten 30 Tagen geschah.',
    event: 'Ereignis',
    about: 'Gegenstand',
    by: 'Von',
    service: 'Der Dienst',
    since: 'Von',
    until: 'Bis',
    request: 'Anfrage',
    emptyTitle: 'Noch ist nichts geschehen',
    empty:
      'Hier erscheinen Anmeldungen, Änderungen an Tresoren und Dokumenten und geöffnete Freigaben.',
  },
);
