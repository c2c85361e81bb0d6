import {
  ApiError,
  AuthenticationError,
  CodeLoadError,
  ConnectionError,
  DecryptionError,
  type ErrorDetails,
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

const texts = catalogue(
  {
    offline: 'The service cannot be reached. Check your connection, then try again.',
    timeout: 'The service did not respond in time. Try again.',
    notFound: 'It no longer exists, or belongs to another account. Reload the list.',
    forbidden: 'Your account may not do this. Ask an administrator for the right.',
    suspended: 'Your account is suspended. An administrator can resume it.',
    blocked: 'The service blocks requests from your address. Ask its operator.',
    expired: 'Your session has ended. Sign in again.',
    login: 'The e-mail address or the password is wrong.',
    limited: (when: string) => `Too many requests. The service accepts the next one ${when}.`,
    server: (id: string) =>
      `The service failed. Try again; report ${id} to its operator if it stays.`,
    locked:
      'The console was locked, or got another passphrase, before this was complete. Try again once it is unlocked.',
    unknown: 'Something went wrong in the console. Reload the page.',
    key: 'The passphrase does not fit this document. Unlock with the passphrase it was encrypted with.',
    noKey:
      'The key of this document was not kept in this browser. Lock the console and unlock it again.',
    changed: 'The stored content was changed or damaged. Restore it from a backup.',
    source: 'The file changed since the upload began. Upload it anew.',
    invalid: 'The service refused the input. Check the fields.',
  },
  {
    offline:
      'Der Dienst ist nicht erreichbar. Prüfen Sie die Verbindung und versuchen Sie es erneut.',
    timeout: 'Der Dienst hat nicht rechtzeitig geantwortet. Versuchen Sie es erneut.',
    notFound:
      'Das gibt es nicht mehr, oder es gehört einem anderen Konto. Laden Sie die Liste neu.',
    forbidden: 'Ihr Konto darf das nicht. Bitten Sie einen Administrator um das Recht.',
    suspended: 'Ihr Konto ist gesperrt. Ein Administrator kann es freigeben.',
    blocked: 'Der Dienst weist Anfragen Ihrer Adresse ab. Fragen Sie seinen Betreiber.',
    expired: 'Ihre Sitzung ist beendet. Melden Sie sich erneut an.',
    login: 'Die E-Mail-Adresse oder das Passwort ist falsch.',
    limited: (when) => `Zu viele Anfragen. Der Dienst nimmt die nächste ${when} an.`,
    server: (id) =>
      `Der Dienst ist gescheitert. Versuchen Sie es erneut; melden Sie sonst ${id} dem Betreiber.`,
    locked:
      'Die Konsole wurde gesperrt oder bekam eine andere Passphrase, bevor dies fertig war. Versuchen Sie es erneut, sobald sie entsperrt ist.',
    unknown: 'In der Konsole ist etwas schiefgegangen. Laden Sie die Seite neu.',
    key: 'Die Passphrase passt nicht zu diesem Dokument. Entsperren Sie mit der Passphrase, mit der es verschlüsselt wurde.',
    noKey:
      'Der Schlüssel dieses Dokuments wurde in diesem Browser nicht behalten. Sperren und entsperren Sie die Konsole.',
    changed:
      'Der gespeicherte Inhalt wurde verändert oder beschädigt. Stellen Sie ihn aus einer Sicherung wieder her.',
    source: 'Die Datei hat sich seit Beginn des Hochladens geändert. Laden Sie sie neu hoch.',
    invalid: 'Der Dienst hat die Eingabe abgelehnt. Prüfen Sie die Felder.',
  },
);

/** Texts of the contract's constraints, by their names. Others have the sentence of the service. */
const constraintTexts = catalogue(
  {
    required: 'Fill in this field.',
    minLength: 'This is too short.',
    maxLength: 'This is too long.',
    pattern: 'This contains a character that is not allowed.',
    format: 'This does not have the right form.',
    unique: 'This is taken. Choose another one.',
    future: 'Choose a time in the future.',
    minimum: 'This number is out of range.',
    maximum: 'This number is out of range.',
    correct: 'This is not right.',
    vaultQuota: 'The vault is full. Delete documents, or choose another vault.',
    accountQuota: 'The storage of your account is full. Delete documents first.',
    instanceQuota: 'The storage of the service is full. Ask its operator.',
    accountRows: 'Your account has as many of these as it may have. Delete some first.',
    active: 'The vault is archived. Restore it, or choose another one.',
    allowedTarget: 'The service may not connect to this address. Use a public https address.',
    allowedHeader: 'This header is reserved, or has characters that headers cannot carry.',
    inProgress: 'An attempt is running. Wait for it, then try again.',
    retryable: 'A test event is sent once. Send a new test in its place.',
    match: 'The password is wrong.',
    lastAdministrator: 'This is the last active administrator. Make another account one first.',
    grantable: 'Your account does not have this scope.',
    redirectUri: 'This address is not allowed: use https, or http on 127.0.0.1.',
    minItems: 'Choose at least one.',
  },
  {
    required: 'Füllen Sie dieses Feld aus.',
    minLength: 'Das ist zu kurz.',
    maxLength: 'Das ist zu lang.',
    pattern: 'Das enthält ein Zeichen, das nicht erlaubt ist.',
    format: 'Das hat nicht die richtige Form.',
    unique: 'Das ist vergeben. Wählen Sie etwas anderes.',
    future: 'Wählen Sie einen Zeitpunkt in der Zukunft.',
    minimum: 'Diese Zahl liegt außerhalb des Bereichs.',
    maximum: 'Diese Zahl liegt außerhalb des Bereichs.',
    correct: 'Das stimmt nicht.',
    vaultQuota: 'Der Tresor ist voll. Löschen Sie Dokumente, oder wählen Sie einen anderen Tresor.',
    accountQuota: 'Der Speicher Ihres Kontos ist voll. Löschen Sie zuerst Dokumente.',
    instanceQuota: 'Der Speicher des Dienstes ist voll. Fragen Sie seinen Betreiber.',
    accountRows: 'Ihr Konto hat davon so viele, wie es haben darf. Löschen Sie zuerst einige.',
    active: 'Der Tresor ist archiviert. Stellen Sie ihn wieder her, oder wählen Sie einen anderen.',
    allowedTarget:
      'Der Dienst darf diese Adresse nicht aufrufen. Verwenden Sie eine öffentliche https-Adresse.',
    allowedHeader:
      'Dieser Header ist reserviert oder enthält Zeichen, die Header nicht haben dürfen.',
    inProgress: 'Ein Versuch läuft gerade. Warten Sie ihn ab, und versuchen Sie es erneut.',
    retryable: 'Ein Testereignis wird einmal gesendet. Senden Sie stattdessen einen neuen Test.',
    match: 'Das Passwort ist falsch.',
    lastAdministrator:
      'Das ist der letzte aktive Administrator. Geben Sie zuerst einem anderen Konto die Rolle.',
    grantable: 'Ihr Konto hat diese Berechtigung nicht.',
    redirectUri: 'Diese Adresse ist nicht erlaubt: verwenden Sie https, oder http auf 127.0.0.1.',
    minItems: 'Wählen Sie mindestens eines.',
  },
);

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

/** The console was locked, or got another passphrase, while something needed its key. */
export class LockedError extends Error {}

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
  if (error instanceof SessionExpiredError) return t.expired;
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
  if (error instanceof DecryptionError) {
    if (error.reason === 'passphrase') return t.noKey;
    return error.reason === 'key' ? t.key : t.changed;
  }
  if (error instanceof SourceChangedError) return t.source;
  if (error instanceof LockedError) return t.locked;
  if (error instanceof CodeLoadError) return common.value.outdated;
  return t.unknown;
}
