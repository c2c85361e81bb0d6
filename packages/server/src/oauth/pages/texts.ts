import type { Scope } from '../../domain/shapes.ts';
import type { Language } from './language.ts';

const english = {
  product: 'Document Vault',
  signIn: {
    title: 'Sign in',
    /** What follows the name of the app. */
    asks: ' asks for access to your account. Sign in to decide.',
    email: 'Email address',
    password: 'Password',
    submit: 'Sign in',
    cancel: 'Cancel',
    problems: {
      wrong: 'The email address or the password is wrong.',
      throttled: 'Too many attempts. Wait a moment, then try again.',
      suspended: 'This account is suspended.',
      failed: 'Signing in failed. Try again.',
    },
  },
  consent: {
    title: 'Allow access?',
    question: ['Allow ', ' access to your account?'] as [before: string, after: string],
    owner: 'Registered by',
    verified: 'Verified: an administrator has confirmed who owns this app.',
    unverified: 'Not verified: this server has not checked who owns this app.',
    leadsTo: 'Leads to',
    thisDevice: 'an app on this device',
    otherDevice: 'your other device',
    account: 'Your account',
    notYou: 'Not you?',
    signOut: 'Sign out',
    password: 'Your password, to allow this app',
    wrongPassword: 'The password is wrong.',
    scopes: 'The app may',
    ends: (date: string) => `The access ends on ${date}.`,
    endIn: 'You can end it earlier in your consents.',
    keys: 'The app does not get your passphrases or keys. It cannot read encrypted documents.',
    allow: 'Allow',
    refuse: 'Refuse',
    warnings: {
      'webhooks:write':
        'The app can have the events of your account sent to any address that it chooses.',
      'admin:*':
        'The app gets access to every account on this server. Allow this only for an app of your own.',
    } as Partial<Record<Scope, string>>,
    sentences: {
      'vaults:read': 'See your vaults and their names.',
      'vaults:write': 'Create, change and delete your vaults, with all documents in them.',
      'documents:read': 'See your documents, and download them and your keys in encrypted form.',
      'documents:write': 'Upload, change and delete your documents.',
      'documents:share': 'Share your documents by link, and open documents that others share.',
      'instances:read': 'See the servers, their health and their statistics.',
      'instances:write': 'Create and change servers, if you are an administrator.',
      'users:read': 'See your name and your email address.',
      'users:write': 'Change your name.',
      'webhooks:read': 'See which addresses receive your events, and what was sent to them.',
      'webhooks:write': 'Choose addresses that receive the events of your account.',
      'consents:read': 'See what you have agreed to, and with whom.',
      'consents:write': 'Grant, change and revoke consents in your name.',
      'admin:*': 'Read, change and delete everything in every account.',
    } satisfies Record<Scope, string>,
  },
  device: {
    title: 'Connect a device',
    explanation: 'Enter the code that your device shows.',
    code: 'Code',
    submit: 'Continue',
    invalid: 'This code is not valid or has expired. Check it, or start again on your device.',
    confirmTitle: 'Is this your device?',
    question: 'Your device must show this code:',
    caution:
      'Did another person send you this code? Then that person could get into your account. Continue only if you started this yourself.',
    confirm: 'Yes, continue',
    refuse: 'No, stop',
    doneTitle: 'Device connected',
    done: 'Return to your device. You can close this page.',
  },
  error: {
    title: 'This did not work',
    reason: 'Reason for developers:',
    /** By the errors of RFC 6749, and by those of the pages themselves. */
    problems: {
      expired: 'This page has expired. Return to the app and start again.',
      cookies:
        'Your browser sent no cookie for this page. It blocks cookies, or the page has another address than the one that you started at, or the page has expired. Allow cookies for this server, return to the app and start again.',
      forged: 'This request did not come from this page. Return to the app and start again.',
      full: 'Your account has reached its limit of consents. Remove some, then start again.',
      access_denied: 'You refused. The app has no access to your account.',
      invalid_redirect_uri: 'The app wants to send you to an address that it has not registered.',
      invalid_client: 'This server does not know the app, or the app is disabled.',
      unauthorized_client: 'This server does not know the app, or the app is disabled.',
      temporarily_unavailable:
        'Your network has sent too many requests. Wait a moment, then try again.',
      server_error: 'The server has a problem. Try again later.',
      other: 'The app sent a request that this server does not accept.',
    },
  },
};

/** The texts of the pages in one language. */
type Texts = typeof english;

/** Why a sign-in failed. */
export type SignInProblem = keyof Texts['signIn']['problems'];

/** Why a request of an app cannot continue. */
export type PageProblem = keyof Texts['error']['problems'];

const german: Texts = {
  product: 'Document Vault',
  signIn: {
    title: 'Anmelden',
    asks: ' bittet um Zugriff auf Ihr Konto. Melden Sie sich an, um zu entscheiden.',
    email: 'E-Mail-Adresse',
    password: 'Passwort',
    submit: 'Anmelden',
    cancel: 'Abbrechen',
    problems: {
      wrong: 'E-Mail-Adresse oder Passwort ist falsch.',
      throttled: 'Zu viele Versuche. Warten Sie einen Moment und versuchen Sie es dann erneut.',
      suspended: 'Dieses Konto ist gesperrt.',
      failed: 'Die Anmeldung ist fehlgeschlagen. Versuchen Sie es erneut.',
    },
  },
  consent: {
    title: 'Zugriff erlauben?',
    question: ['', ' den Zugriff auf Ihr Konto erlauben?'],
    owner: 'Registriert von',
    verified:
      'Geprüft: Eine Administratorin oder ein Administrator hat bestätigt, wem diese App gehört.',
    unverified: 'Nicht geprüft: Dieser Server hat nicht kontrolliert, wem diese App gehört.',
    leadsTo: 'Führt zu',
    thisDevice: 'einer App auf diesem Gerät',
    otherDevice: 'Ihrem anderen Gerät',
    account: 'Ihr Konto',
    notYou: 'Nicht Sie?',
    signOut: 'Abmelden',
    password: 'Ihr Passwort, um diese App zu erlauben',
    wrongPassword: 'Das Passwort ist falsch.',
    scopes: 'Die App darf',
    ends: (date) => `Der Zugriff endet am ${date}.`,
    endIn: 'Sie können ihn früher in Ihren Einwilligungen beenden.',
    keys: 'Die App erhält weder Ihre Passphrasen noch Ihre Schlüssel. Verschlüsselte Dokumente kann sie nicht lesen.',
    allow: 'Erlauben',
    refuse: 'Ablehnen',
    warnings: {
      'webhooks:write':
        'Die App kann Ereignisse Ihres Kontos an jede beliebige Adresse senden lassen.',
      'admin:*':
        'Die App hätte Zugriff auf jedes Konto dieses Servers. Erlauben Sie das nur einer eigenen App.',
    },
    sentences: {
      'vaults:read': 'Ihre Tresore und deren Namen sehen.',
      'vaults:write': 'Ihre Tresore anlegen, ändern und mit allen Dokumenten darin löschen.',
      'documents:read':
        'Ihre Dokumente sehen und sie sowie Ihre Schlüssel in verschlüsselter Form herunterladen.',
      'documents:write': 'Ihre Dokumente hochladen, ändern und löschen.',
      'documents:share': 'Ihre Dokumente per Link teilen und Dokumente öffnen, die andere teilen.',
      'instances:read': 'Die Server, deren Zustand und Statistik sehen.',
      'instances:write': 'Server anlegen und ändern, falls Sie Administrationsrechte haben.',
      'users:read': 'Ihren Namen und Ihre E-Mail-Adresse sehen.',
      'users:write': 'Ihren Namen ändern.',
      'webhooks:read':
        'Sehen, welche Adressen Ihre Ereignisse erhalten und was an sie gesendet wurde.',
      'webhooks:write': 'Adressen festlegen, die Ereignisse Ihres Kontos erhalten.',
      'consents:read': 'Sehen, worin Sie eingewilligt haben und wem gegenüber.',
      'consents:write': 'In Ihrem Namen Einwilligungen erteilen, ändern und widerrufen.',
      'admin:*': 'In jedem Konto alles lesen, ändern und löschen.',
    },
  },
  device: {
    title: 'Gerät verbinden',
    explanation: 'Geben Sie den Code ein, den Ihr Gerät anzeigt.',
    code: 'Code',
    submit: 'Weiter',
    invalid:
      'Dieser Code ist ungültig oder abgelaufen. Prüfen Sie ihn oder beginnen Sie auf Ihrem Gerät von vorn.',
    confirmTitle: 'Ist das Ihr Gerät?',
    question: 'Ihr Gerät muss diesen Code anzeigen:',
    caution:
      'Hat Ihnen eine andere Person diesen Code geschickt? Dann könnte sie in Ihr Konto gelangen. Fahren Sie nur fort, wenn Sie dies selbst begonnen haben.',
    confirm: 'Ja, weiter',
    refuse: 'Nein, abbrechen',
    doneTitle: 'Gerät verbunden',
    done: 'Kehren Sie zu Ihrem Gerät zurück. Sie können diese Seite schließen.',
  },
  error: {
    title: 'Das hat nicht geklappt',
    reason: 'Grund für Entwickler:',
    problems: {
      expired: 'Diese Seite ist abgelaufen. Kehren Sie zur App zurück und beginnen Sie von vorn.',
      cookies:
        'Ihr Browser hat für diese Seite kein Cookie gesendet. Er blockiert Cookies, oder die Seite hat eine andere Adresse als die, bei der Sie begonnen haben, oder die Seite ist abgelaufen. Erlauben Sie Cookies für diesen Server, kehren Sie zur App zurück und beginnen Sie von vorn.',
      forged:
        'Diese Anfrage kam nicht von dieser Seite. Kehren Sie zur App zurück und beginnen Sie von vorn.',
      full: 'Ihr Konto hat die Höchstzahl an Einwilligungen erreicht. Entfernen Sie einige und beginnen Sie von vorn.',
      access_denied: 'Sie haben abgelehnt. Die App hat keinen Zugriff auf Ihr Konto.',
      invalid_redirect_uri:
        'Die App will Sie zu einer Adresse schicken, die sie nicht registriert hat.',
      invalid_client: 'Dieser Server kennt die App nicht, oder sie ist gesperrt.',
      unauthorized_client: 'Dieser Server kennt die App nicht, oder sie ist gesperrt.',
      temporarily_unavailable:
        'Aus Ihrem Netz kamen zu viele Anfragen. Warten Sie einen Moment und versuchen Sie es dann erneut.',
      server_error: 'Der Server hat ein Problem. Versuchen Sie es später erneut.',
      other: 'Die App hat eine Anfrage gesendet, die dieser Server nicht annimmt.',
    },
  },
};

export const texts: Readonly<Record<Language, Texts>> = { en: english, de: german };
