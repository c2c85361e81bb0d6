import { catalogue } from '../../messages/language.ts';

export const activityTexts = catalogue(
  {
    title: 'Activity',
    description: 'Everything that happened in your account in the last 30 days.',
    event: 'Event',
    about: 'About',
    by: 'From',
    service: 'The service',
    time: 'Time',
    since: 'From',
    until: 'Until',
    id: 'Event id',
    request: 'Request',
    details: 'Event',
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
    time: 'Zeit',
    since: 'Von',
    until: 'Bis',
    id: 'Ereignis-ID',
    request: 'Anfrage',
    details: 'Ereignis',
    emptyTitle: 'Noch ist nichts geschehen',
    empty:
      'Hier erscheinen Anmeldungen, Änderungen an Tresoren und Dokumenten und geöffnete Freigaben.',
  },
);
