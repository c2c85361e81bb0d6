import { expect, test } from 'vitest';
import { createTargets } from '../../src/delivery/targets.ts';

const rules = {
  asked: [] as string[],
  refusedUrl(url: string) {
    rules.asked.push(url);
    return url.startsWith('https:') ? undefined : 'only https URLs are allowed';
  },
};

test('createTargets returns origin and path or the refusal, and checks each URL once', () => {
  const targetOf = createTargets(rules);
  for (let time = 0; time < 2; time += 1) {
    expect(targetOf('https://example.com:8443/hook?a=1#b')).toEqual({
      refusal: undefined,
      origin: 'https://example.com:8443',
      path: '/hook?a=1',
    });
    expect(targetOf('nonsense')).toEqual({ refusal: 'only https URLs are allowed' });
  }
  expect(rules.asked).toEqual(['https://example.com:8443/hook?a=1#b', 'nonsense']);
});

test('createTargets clears its cache after 1,000 URLs', () => {
  const targetOf = createTargets(rules);
  for (let count = 0; count <= 1_000; count += 1) targetOf(`https://example.com/${count}`);
  rules.asked.length = 0;
  targetOf('https://example.com/0');
  expect(rules.asked).toEqual(['https://example.com/0']);
});
