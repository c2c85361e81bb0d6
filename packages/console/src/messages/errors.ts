import {
  ApiError,
  AuthenticationError,
  CodeLoadError,
  ConnectionError,
  DecryptionError,
  type ErrorDetails,
  LockedError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  SessionExpiredError,
  SourceChangedError,
  TimeoutError,
  ValidationError,
  type Violation,
} from '@document-vault/sdk';
import { common } from './common.ts';
import { formatDistance } from './format.ts';
import { catalogue } from './language.ts';

const texts = catalogue({
  offline: [
    'The service cannot be reached. Check your connection, then try again.',
    'Der Dienst ist nicht erreichbar. Prüfen Sie die Verbindung und versuchen Sie es erneut.',
  ],
  timeout: [
    'The service did not respond in time. Try again.',
    'Der Dienst hat nicht rechtzeitig geantwortet. Versuchen Sie es erneut.',
  ],
  notFound: [
    'It no longer exists, or belongs to another account. Reload the list.',
    'Das gibt es nicht mehr, oder es gehört einem anderen Konto. Laden Sie die Liste neu.',
  ],
  forbidden: [
    'Your account may not do this. Ask an administrator for the permission.',
    'Ihr Konto darf das nicht. Bitten Sie einen Administrator um die Berechtigung.',
  ],
  suspended: [
    'Your account is suspended. An administrator can resume it.',
    'Ihr Konto ist gesperrt. Ein Administrator kann es freigeben.',
  ],
  blocked: [
    'The service blocks requests from your address. Ask its operator.',
    'Der Dienst weist Anfragen Ihrer Adresse ab. Fragen Sie seinen Betreiber.',
  ],
  login: [
    'The e-mail address or the password is wrong.',
    'Die E-Mail-Adresse oder das Passwort ist falsch.',
  ],
  limited: [
    (when: string) => `Too many requests. The service accepts the next one ${when}.`,
    (when) => `Zu viele Anfragen. Der Dienst nimmt die nächste ${when} an.`,
  ],
  server: [
    (id: string) =>
      `An error occurred in the service. Try again; report ${id} to its operator if it stays.`,
    (id) =>
      `Im Dienst ist ein Fehler aufgetreten. Versuchen Sie es erneut; melden Sie sonst ${id} dem Betreiber.`,
  ],
  locked: [
    'The console was locked before this was complete. Try again once it is unlocked.',
    'Die Konsole wurde gesperrt, bevor dies fertig war. Versuchen Sie es erneut, sobald sie entsperrt ist.',
  ],
  unknown: [
    'Something went wrong in the console. Reload the page.',
    'In der Konsole ist etwas schiefgegangen. Laden Sie die Seite neu.',
  ],
  key: [
    'Your keyring does not open this document. A program has encrypted it with a passphrase of its own, or the keyring has been replaced.',
    'Ihr Schlüsselbund öffnet dieses Dokument nicht. Ein Programm hat es mit einer eigenen Passphrase verschlüsselt, oder der Schlüsselbund wurde inzwischen ersetzt.',
  ],
  changed: [
    'The stored content was changed or damaged. Restore it from a backup.',
    'Der gespeicherte Inhalt wurde verändert oder beschädigt. Stellen Sie ihn aus einer Sicherung wieder her.',
  ],
  source: [
    'The file changed since the upload began. Upload it anew.',
    'Die Datei hat sich seit Beginn des Hochladens geändert. Laden Sie sie neu hoch.',
  ],
  invalid: [
    'The service refused the input. Check the fields.',
    'Der Dienst hat die Eingabe abgelehnt. Prüfen Sie die Felder.',
  ],
});

/** Texts of the contract's constraints, by their names. Others have the sentence of the service. */
const constraintTexts = catalogue({
  required: ['Fill in this field.', 'Füllen Sie dieses Feld aus.'],
  minLength: ['This is too short.', 'Das ist zu kurz.'],
  maxLength: ['This is too long.', 'Das ist zu lang.'],
  pattern: [
    'This contains a character that is not allowed.',
    'Das enthält ein Zeichen, das nicht erlaubt ist.',
  ],
  format: ['This does not have the right form.', 'Das hat nicht die richtige Form.'],
  unique: ['This is taken. Choose another one.', 'Das ist vergeben. Wählen Sie etwas anderes.'],
  future: ['Choose a time in the future.', 'Wählen Sie einen Zeitpunkt in der Zukunft.'],
  minimum: ['This number is out of range.', 'Diese Zahl liegt außerhalb des Bereichs.'],
  maximum: ['This number is out of range.', 'Diese Zahl liegt außerhalb des Bereichs.'],
  vaultQuota: [
    'The vault is full. Delete documents, or choose another vault.',
    'Der Tresor ist voll. Löschen Sie Dokumente, oder wählen Sie einen anderen Tresor.',
  ],
  accountQuota: [
    'The storage of your account is full. Delete documents first.',
    'Der Speicher Ihres Kontos ist voll. Löschen Sie zuerst Dokumente.',
  ],
  instanceQuota: [
    'The storage of the service is full. Ask its operator.',
    'Der Speicher des Dienstes ist voll. Fragen Sie seinen Betreiber.',
  ],
  accountRows: [
    'Your account has reached the limit for these. Delete some first.',
    'Ihr Konto hat die Höchstzahl erreicht. Löschen Sie zuerst einige.',
  ],
  active: [
    'The vault is archived. Restore it, or choose another one.',
    'Der Tresor ist archiviert. Stellen Sie ihn wieder her, oder wählen Sie einen anderen.',
  ],
  allowedTarget: [
    'The service may not connect to this address. Use a public https address.',
    'Der Dienst darf diese Adresse nicht aufrufen. Verwenden Sie eine öffentliche https-Adresse.',
  ],
  allowedHeader: [
    'This header is reserved, or has characters that headers cannot carry.',
    'Dieser Header ist reserviert oder enthält Zeichen, die Header nicht haben dürfen.',
  ],
  inProgress: [
    'An attempt is running. Wait for it, then try again.',
    'Ein Versuch läuft gerade. Warten Sie ihn ab, und versuchen Sie es erneut.',
  ],
  retryable: [
    'A test event is sent once. Send a new test in its place.',
    'Ein Testereignis wird einmal gesendet. Senden Sie stattdessen einen neuen Test.',
  ],
  match: ['The password is wrong.', 'Das Passwort ist falsch.'],
  lastAdministrator: [
    'This is the last active administrator. Make another account one first.',
    'Das ist der letzte aktive Administrator. Geben Sie zuerst einem anderen Konto die Rolle.',
  ],
  grantable: ['Your account does not have this scope.', 'Ihr Konto hat diese Berechtigung nicht.'],
  redirectUri: [
    'This address is not allowed: use https, or http on 127.0.0.1.',
    'Diese Adresse ist nicht erlaubt: verwenden Sie https, oder http auf 127.0.0.1.',
  ],
  minItems: ['Choose at least one.', 'Wählen Sie mindestens eines.'],
});

function explainViolation({ constraint, message }: Violation): string {
  const explained: Readonly<Record<string, string>> = constraintTexts.value;
  return Object.hasOwn(explained, constraint) ? String(explained[constraint]) : message;
}

/** The problems of a refused request, by the names of the contract's fields. Each function returns a text. */
export function fieldProblems(error: unknown): ReadonlyMap<string, () => string> {
  const { violations = [] }: ErrorDetails = error instanceof ValidationError ? error.details : {};
  return new Map(
    violations.map((violation) => [violation.field, () => explainViolation(violation)]),
  );
}

/** What to do when the service does not respond. */
export function explainUnreachable(): string {
  return texts.value.offline;
}

/** Whether something is encrypted with a key that is not in the user's keyring. */
export function isOtherKey(error: unknown): boolean {
  return error instanceof DecryptionError && error.reason === 'key';
}

/** Explains an error to the user, with the way out. */
export function explain(error: unknown): string {
  const t = texts.value;
  if (error instanceof ValidationError) {
    const [problem] = fieldProblems(error).values();
    return problem?.() ?? t.invalid;
  }
  if (error instanceof RateLimitError) {
    return t.limited(formatDistance(Date.now() + (error.retryAfterMs ?? 60_000)));
  }
  if (error instanceof SessionExpiredError) return common.value.sessionEnded;
  if (error instanceof AuthenticationError) return t.login;
  if (error instanceof PermissionError) {
    if (error.code === 'ACCOUNT_SUSPENDED') return t.suspended;
    return error.code === 'IP_BLOCKED' ? t.blocked : t.forbidden;
  }
  if (error instanceof NotFoundError) return t.notFound;
  if (error instanceof ServerError) return t.server(error.requestId ?? String(error.status));
  if (error instanceof ApiError)
    return error.reason ?? t.server(error.requestId ?? String(error.status));
  if (error instanceof ConnectionError) return t.offline;
  if (error instanceof TimeoutError) return t.timeout;
  if (error instanceof DecryptionError) return isOtherKey(error) ? t.key : t.changed;
  if (error instanceof SourceChangedError) return t.source;
  if (error instanceof LockedError) return t.locked;
  if (error instanceof CodeLoadError) return common.value.outdated;
  return t.unknown;
}
