import { describe, expect, test } from 'vitest';
import { nearestNames } from '../../src/cli/command.ts';
import { eventTypes } from '../../src/index.ts';

describe('nearestNames()', () => {
  test.each<[string, string[]]>([
    ['vault.create', ['vault.created', 'vault.updated']],
    ['vault.deleted', ['vault.deleted', 'vault.created', 'vault.updated']],
    ['DOCUMENT.SHARED', ['document.shared', 'document.updated', 'document.uploaded']],
    ['login', []],
    ['user.log', ['user.login']],
    ['', []],
  ])('suggests for %j: %j', (typed, names) => {
    expect(nearestNames(typed, eventTypes)).toEqual(names);
  });
});
