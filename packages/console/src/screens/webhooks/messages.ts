import { counted } from '../../messages/format.ts';
import { catalogue } from '../../messages/language.ts';

export const webhookTexts = catalogue({
  title: ['Webhooks', 'Webhooks'],
  description: [
    'A webhook sends the events of your account to a URL.',
    'Ein Webhook sendet die Ereignisse Ihres Kontos an eine URL.',
  ],
  create: ['New webhook', 'Neuer Webhook'],
  createAction: ['Create the webhook', 'Webhook anlegen'],
  created: ['The webhook is created', 'Der Webhook ist angelegt'],
  createdText: [
    'The service signs each delivery with this secret. Your receiver verifies it.',
    'Der Dienst signiert jede Zustellung mit diesem Geheimnis. Ihr Empfänger prüft sie.',
  ],
  checker: ['Check a signature', 'Signatur prüfen'],
  url: ['URL', 'URL'],
  urlHint: [
    'Receives each event by POST, and confirms it by a status from 200 to 299.',
    'Erhält jedes Ereignis per POST und bestätigt es mit einem Status von 200 bis 299.',
  ],
  events: ['Events', 'Ereignisse'],
  allEvents: ['All events', 'Alle Ereignisse'],
  vault: ['Vaults', 'Tresore'],
  document: ['Documents', 'Dokumente'],
  consent: ['Consents', 'Einwilligungen'],
  user: ['Account', 'Konto'],
  instance: ['Instances', 'Instanzen'],
  headers: ['Headers', 'Header'],
  headersHint: [
    'Sent with each delivery, such as a token that your gateway asks for.',
    'Werden mit jeder Zustellung gesendet, etwa ein Token, das Ihr Gateway verlangt.',
  ],
  addHeader: ['Add a header', 'Header hinzufügen'],
  removeHeader: [
    (number: string) => `Remove header ${number}`,
    (number) => `Header ${number} entfernen`,
  ],
  headerName: [
    (number: string) => `Name of header ${number}`,
    (number) => `Name von Header ${number}`,
  ],
  headerValue: [
    (number: string) => `Value of header ${number}`,
    (number) => `Wert von Header ${number}`,
  ],
  secret: ['Secret', 'Geheimnis'],
  secretHint: [
    'Empty: the service generates one. Your own has at least 32 characters.',
    'Leer: der Dienst erzeugt eines. Ein eigenes hat mindestens 32 Zeichen.',
  ],
  newSecret: ['New secret', 'Neues Geheimnis'],
  newSecretHint: [
    'Empty: the secret stays. After a new one, deliveries are signed with both for 24 hours, and with a new URL at once with the new one alone.',
    'Leer: das Geheimnis bleibt. Nach einem neuen werden Zustellungen 24 Stunden lang mit beiden signiert, bei einer neuen URL sofort nur mit dem neuen.',
  ],
  rotate: ['Rotate the secret', 'Geheimnis wechseln'],
  rotateText: [
    'The service generates a new secret. Deliveries are signed with both secrets for 24 hours: change your receiver until then.',
    'Der Dienst erzeugt ein neues Geheimnis. Zustellungen werden 24 Stunden lang mit beiden signiert: ändern Sie Ihren Empfänger bis dahin.',
  ],
  rotated: ['The secret is rotated', 'Das Geheimnis ist gewechselt'],
  previousSecret: ['Previous secret', 'Voriges Geheimnis'],
  signsUntil: ['signs until', 'signiert bis'],
  endPrevious: ['End the previous secret', 'Voriges Geheimnis beenden'],
  previousEnded: [
    'Deliveries are signed with the new secret alone.',
    'Zustellungen werden nur noch mit dem neuen Geheimnis signiert.',
  ],
  secretShort: ['Enter at least 32 characters.', 'Geben Sie mindestens 32 Zeichen ein.'],
  noEvents: ['Choose at least one event.', 'Wählen Sie mindestens ein Ereignis.'],
  changeTitle: ['Change the webhook', 'Webhook ändern'],
  changed: ['The webhook is changed.', 'Der Webhook ist geändert.'],
  pause: ['Pause', 'Anhalten'],
  paused: [
    'The webhook is paused. Its deliveries wait.',
    'Der Webhook ist angehalten. Seine Zustellungen warten.',
  ],
  resume: ['Resume', 'Fortsetzen'],
  resumed: [
    'The webhook is active again. What has waited is delivered now.',
    'Der Webhook ist wieder aktiv. Wartendes wird jetzt zugestellt.',
  ],
  deleteTitle: ['Delete the webhook?', 'Webhook löschen?'],
  deleteText: [
    'Its log and the deliveries that wait are deleted too. This cannot be undone.',
    'Sein Protokoll und wartende Zustellungen werden mit gelöscht. Das lässt sich nicht rückgängig machen.',
  ],
  deleted: ['The webhook is deleted.', 'Der Webhook ist gelöscht.'],
  health: ['Health', 'Gesundheit'],
  givenUp: [(share: string) => `${share} given up`, (share) => `${share} aufgegeben`],
  latest: [(error: string) => `Latest error: ${error}`, (error) => `Letzter Fehler: ${error}`],
  lastDelivery: ['Last delivery', 'Letzte Zustellung'],
  eventCount: [
    (count: number) => counted(count, 'event', 'events'),
    (count) => counted(count, 'Ereignis', 'Ereignisse'),
  ],
  emptyTitle: ['No webhooks yet', 'Noch keine Webhooks'],
  empty: [
    'Register a URL of your program, and choose the events that it receives.',
    'Registrieren Sie eine URL Ihres Programms, und wählen Sie die Ereignisse dafür.',
  ],
  total: ['Deliveries', 'Zustellungen'],
  failed: ['Given up', 'Aufgegeben'],
  failureRate: ['Failure rate', 'Fehlerquote'],
  lastError: [
    (error: string) => `The latest failed attempt: ${error}`,
    (error) => `Der letzte fehlgeschlagene Versuch: ${error}`,
  ],
  dropped: [
    (count: number, time: string) =>
      counted(
        count,
        `event was not queued, because the queue was full, on ${time}. You find it under Activity.`,
        `events were not queued, because the queue was full, most recently on ${time}. You find them under Activity.`,
      ),
    (count, time) =>
      counted(
        count,
        `Ereignis wurde am ${time} nicht eingereiht, weil die Warteschlange voll war. Sie finden es unter Aktivität.`,
        `Ereignisse wurden nicht eingereiht, weil die Warteschlange voll war, zuletzt am ${time}. Sie finden sie unter Aktivität.`,
      ),
  ],
  log: ['Delivery log', 'Zustellungen'],
  logText: [
    'Completed deliveries are kept for 30 days.',
    'Abgeschlossene Zustellungen werden 30 Tage aufbewahrt.',
  ],
  configuration: ['Configuration', 'Konfiguration'],
  noHeaders: ['No headers', 'Keine Header'],
  test: ['Send a test event', 'Testereignis senden'],
  testAction: ['Send', 'Senden'],
  testText: [
    'The service sends an example, signed and marked as a test. It is attempted once and not counted.',
    'Der Dienst sendet ein Beispiel, signiert und als Test markiert. Es wird einmal versucht und nicht gezählt.',
  ],
  testBadge: ['Test', 'Test'],
  retry: ['Retry', 'Wiederholen'],
  retried: ['A new attempt has begun.', 'Ein neuer Versuch hat begonnen.'],
  retryFailed: ['Retry all failed', 'Alle fehlgeschlagenen wiederholen'],
  retryFailedTitle: [
    'Retry all failed deliveries?',
    'Alle fehlgeschlagenen Zustellungen wiederholen?',
  ],
  retryFailedText: [
    'Each failed delivery gets one new attempt at once, with the same content.',
    'Jede fehlgeschlagene Zustellung erhält sofort einen neuen Versuch mit demselben Inhalt.',
  ],
  retriedCount: [
    (count: number) => counted(count, 'delivery is retried.', 'deliveries are retried.'),
    (count) => counted(count, 'Zustellung wird wiederholt.', 'Zustellungen werden wiederholt.'),
  ],
  pending: ['Pending', 'Wartet'],
  retrying: ['Retrying', 'Wird wiederholt'],
  succeeded: ['Succeeded', 'Zugestellt'],
  statusFailed: ['Failed', 'Gescheitert'],
  event: ['Event', 'Ereignis'],
  status: ['Status', 'Zustand'],
  response: ['Response', 'Antwort'],
  noResponse: ['No response', 'Keine Antwort'],
  attempts: ['Attempts', 'Versuche'],
  duration: ['Duration', 'Dauer'],
  noDeliveriesTitle: ['No deliveries yet', 'Noch keine Zustellungen'],
  noDeliveries: [
    'Send a test event to see how your receiver responds.',
    'Senden Sie ein Testereignis, um zu sehen, wie Ihr Empfänger antwortet.',
  ],
  deliveryId: ['Delivery', 'Zustellung'],
  nextAttempt: ['Next attempt', 'Nächster Versuch'],
  completed: ['Completed', 'Abgeschlossen'],
  attempt: [(number: string) => `Attempt ${number}`, (number) => `Versuch ${number}`],
  manual: ['By hand', 'Von Hand'],
  responseBody: ['Response body', 'Inhalt der Antwort'],
  emptyBody: ['The response had no body.', 'Die Antwort hatte keinen Inhalt.'],
  noAttempts: [
    'The first attempt has not begun. Refresh in a moment.',
    'Der erste Versuch hat noch nicht begonnen. Aktualisieren Sie gleich.',
  ],
  payload: ['Payload', 'Inhalt'],
  copyCurl: ['Copy as curl', 'Als curl kopieren'],
  curlText: [
    'Sends the same event to a receiver, such as one on your computer.',
    'Sendet dasselbe Ereignis an einen Empfänger, etwa auf Ihrem Computer.',
  ],
  curlTarget: ['Target', 'Ziel'],
  curlSecret: ['Secret of the webhook', 'Geheimnis des Webhooks'],
  curlSecretHint: [
    'Signs the request in this browser, for 5 minutes. Empty: the signatures are left out.',
    'Signiert die Anfrage in diesem Browser, gültig für 5 Minuten. Leer: ohne Signaturen.',
  ],
  command: ['Command', 'Befehl'],
  checkerText: [
    'Computes the signature in this browser. The secret and the body are sent nowhere.',
    'Berechnet die Signatur in diesem Browser. Geheimnis und Inhalt werden nirgendwohin gesendet.',
  ],
  header: ['Value of X-Service-Signature', 'Wert von X-Service-Signature'],
  body: ['Raw body', 'Roher Inhalt'],
  bodyHint: [
    'The bytes as they were received, before a program has parsed them.',
    'Die Bytes, wie sie ankamen, bevor ein Programm sie gelesen hat.',
  ],
  check: ['Check', 'Prüfen'],
  right: ['The signature is right.', 'Die Signatur ist richtig.'],
  wrong: [
    'The signature does not fit: the secret is wrong, or the body was changed.',
    'Die Signatur passt nicht: das Geheimnis ist falsch, oder der Inhalt wurde verändert.',
  ],
  reformatted: [
    'The signature fits this JSON without spaces and line breaks. Your program has parsed and written the body before the check: use the raw bytes.',
    'Die Signatur passt zu diesem JSON ohne Leerzeichen und Zeilenumbrüche. Ihr Programm hat den Inhalt vor der Prüfung gelesen und neu geschrieben: verwenden Sie die rohen Bytes.',
  ],
  trimmed: [
    'The signature fits the body without the white space around it. Pass the exact bytes.',
    'Die Signatur passt zum Inhalt ohne den Leerraum an den Enden. Übergeben Sie die genauen Bytes.',
  ],
  malformed: [
    'The header is hmac_sha256= and 64 digits of lower-case hex.',
    'Der Header ist hmac_sha256= und 64 Hex-Ziffern in Kleinbuchstaben.',
  ],
  secretSpace: [
    'No secret has white space at its beginning or end.',
    'Kein Geheimnis hat Leerraum am Anfang oder Ende.',
  ],
});

/** The health of a webhook, by its value in the contract. */
export const healthTexts = catalogue({
  new: ['No deliveries yet', 'Noch keine Zustellungen'],
  healthy: ['Healthy', 'Gesund'],
  failing: ['Failing', 'Scheitert'],
  paused: ['Paused', 'Angehalten'],
});
