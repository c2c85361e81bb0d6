export { errorCodes, eventTypes, scopes } from '../generated/choices.ts';
export { mimeTypeOf, safeFileName } from './file-names.ts';
