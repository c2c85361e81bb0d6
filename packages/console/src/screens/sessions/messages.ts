import { catalogue } from '../../messages/language.ts';

export const sessionsTexts = catalogue(
  {
    title: 'Sessions',
    description:
      'Where you are signed in. End what you do not recognise, then change your password.',
    device: 'Device',
    on: (browser: string, system: string) => `${browser} on ${system}`,
    current: 'This session',
    address: 'Address',
    signedIn: 'Signed in',
    expires: 'Ends',
    end: 'End the session',
    endTitle: 'End this session?',
    endText: 'The device is signed out at once.',
    ended: 'The session is ended.',
    endOthers: 'End all others',
    endOthersTitle: 'End all other sessions?',
    endOthersText: 'Every other device is signed out at once. API keys stay valid.',
    endedOthers: 'All other sessions are ended.',
  },
  {
    title: 'Sitzungen',
    description:
      'Wo Sie angemeldet sind. Beenden Sie, was Sie nicht kennen, und ändern Sie dann Ihr Passwort.',
    device: 'Gerät',
    on: (browser, system) => `${browser} unter ${system}`,
    current: 'Diese Sitzung',
    address: 'Adresse',
    signedIn: 'Angemeldet',
    expires: 'Endet',
    end: 'Sitzung beenden',
    endTitle: 'Diese Sitzung beenden?',
    endText: 'Das Gerät wird sofort abgemeldet.',
    ended: 'Die Sitzung ist beendet.',
    endOthers: 'Alle anderen beenden',
    endOthersTitle: 'Alle anderen Sitzungen beenden?',
    endOthersText: 'Jedes andere Gerät wird sofort abgemeldet. API-Schlüssel gelten weiter.',
    endedOthers: 'Alle anderen Sitzungen sind beendet.',
  },
);
