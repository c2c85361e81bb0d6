import { readFile } from 'node:fs/promises';
import type { ErrorCode, EventType, Scope } from '@document-vault/sdk';
import {
  errorCodes,
  eventTypes,
  mimeTypeOf,
  safeFileName,
  scopes,
} from '@document-vault/sdk/values';
import { describe, expect, expectTypeOf, test } from 'vitest';

describe('the entry /values', () => {
  test('has every event type, scope and error code of the contract', async () => {
    const text = await readFile(new URL('../../../openapi/v1.json', import.meta.url), 'utf8');
    const { schemas } = JSON.parse(text).components;
    expect(eventTypes).toEqual(schemas.EventType.enum);
    expect(scopes).toEqual(schemas.Scope.enum);
    expect(errorCodes).toEqual(schemas.ErrorCode.enum);
    expectTypeOf<(typeof eventTypes)[number]>().toEqualTypeOf<EventType>();
    expectTypeOf<(typeof scopes)[number]>().toEqualTypeOf<Scope>();
    expectTypeOf<(typeof errorCodes)[number]>().toEqualTypeOf<ErrorCode>();
  });

  test.each([
    ['Return 2026.PDF', 'application/pdf'],
    ['archive.tar.gz', 'application/gzip'],
    ['README', 'application/octet-stream'],
    ['a.constructor', 'application/octet-stream'],
    ['', 'application/octet-stream'],
  ])('mimeTypeOf(%j) is %s', (name, type) => {
    expect(mimeTypeOf(name)).toBe(type);
  });

  test.each([
    ['Grüße 👩‍👧.txt', 'Grüße 👩‍👧.txt'],
    ['../../etc/passwd', '.._.._etc_passwd'],
    ['C:\\a?.txt', 'C__a_.txt'],
    ['invoice\u202efdp.exe', 'invoice_fdp.exe'],
    ['con.txt', '_con.txt'],
    ['COM1', '_COM1'],
    ['console.log', 'console.log'],
    ['name. . ', 'name'],
    ['..', '_'],
    ['', '_'],
    ['a\ud800b', 'a_b'],
  ])('safeFileName(%j) is %j', (name, safe) => {
    expect(safeFileName(name)).toBe(safe);
  });

  test('safeFileName() cuts a long name to 255 bytes between characters, and keeps the extension', () => {
    const safe = safeFileName(`${'ü'.repeat(200)}.pdf`);
    expect(safe).toBe(`${'ü'.repeat(125)}.pdf`);
    expect(new TextEncoder().encode(safeFileName('a'.repeat(300))).length).toBe(255);
    expect(safeFileName(`${'a'.repeat(300)}.pdf.`)).toBe(`${'a'.repeat(251)}.pdf`);
    // What the cut leaves at the end is removed too.
    expect(safeFileName(`${'a'.repeat(254)}.b c`)).toBe('a'.repeat(254));
  });
});
