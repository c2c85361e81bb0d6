import { catalogue } from '../../messages/language.ts';

export const sessionsTexts = catalogue({
  title: ['Sessions', 'Sitzungen'],
  description: [
    'Where you are signed in. End what you do not recognise, then change your password.',
    'Wo Sie angemeldet sind. Beenden Sie, was Sie nicht kennen, und ändern Sie dann Ihr Passwort.',
  ],
  device: ['Device', 'Gerät'],
  on: [
    (browser: string, system: string) => `${browser} on ${system}`,
    (browser, system) => `${browser} unter ${system}`,
  ],
  current: ['This session', 'Diese Sitzung'],
  address: ['Address', 'Adresse'],
  signedIn: ['Signed in', 'Angemeldet'],
  expires: ['Ends', 'Endet'],
  end: ['End the session', 'Sitzung beenden'],
  endTitle: ['End this session?', 'Diese Sitzung beenden?'],
  endText: ['The device is signed out at once.', 'Das Gerät wird sofort abgemeldet.'],
  ended: ['The session is ended.', 'Die Sitzung ist beendet.'],
  endOthers: ['End all others', 'Alle anderen beenden'],
  endOthersTitle: ['End all other sessions?', 'Alle anderen Sitzungen beenden?'],
  endOthersText: [
    'Every other device is signed out at once. API keys stay valid.',
    'Jedes andere Gerät wird sofort abgemeldet. API-Schlüssel gelten weiter.',
  ],
  endedOthers: ['All other sessions are ended.', 'Alle anderen Sitzungen sind beendet.'],
});
