/** What others offer. Each signs by its own rule and verifies by its documented function. */
import { verify as verifyOctokit } from '@octokit/webhooks-methods';
import Stripe from 'stripe';
import { Webhook as SvixWebhook } from 'svix';
import { type Contestant, contestant } from './contestants.ts';
import { digestOf, eventId, secret, signStandard, standard } from './secret.ts';

const { webhooks } = Stripe;
const svix = new SvixWebhook(secret, { format: 'raw' });

const stripe = {
  kind: 'peer',
  packages: ['stripe'],
  sign: (text: string) => webhooks.generateTestHeaderString({ payload: text, secret }),
} as const;
const standardWebhooks = {
  kind: 'peer',
  packages: ['standardwebhooks'],
  sign: (text: string) => signStandard(text, 'webhook', eventId),
} as const;

export const peers: readonly Contestant[] = [
  contestant({
    ...stripe,
    title: 'stripe: signature.verifyHeader',
    parses: false,
    verify: (body, header) => webhooks.signature?.verifyHeader(body, header, secret) ?? false,
  }),
  contestant({
    kind: 'peer',
    title: '@octokit/webhooks-methods: verify',
    parses: false,
    takesBytes: false,
    packages: ['@octokit/webhooks-methods'],
    sign: (text: string) => `sha256=${digestOf(text)}`,
    verify: (body, signature) => verifyOctokit(secret, body as string, signature),
  }),
  contestant({
    ...standardWebhooks,
    title: 'standardwebhooks: verify without parsing',
    parses: false,
    verify: (body, headers) => standard.verify(body, headers, { jsonParse: false }),
  }),
  contestant({
    kind: 'peer',
    title: 'svix: verify',
    parses: false,
    packages: ['svix'],
    sign: (text: string) => signStandard(text, 'svix', eventId),
    verify: (body, headers) => svix.verify(body, headers),
  }),
  contestant({
    ...stripe,
    title: 'stripe: constructEvent',
    parses: true,
    verify: (body, header) => webhooks.constructEvent(body, header, secret),
  }),
  contestant({
    ...standardWebhooks,
    title: 'standardwebhooks: verify',
    parses: true,
    verify: (body, headers) => standard.verify(body, headers),
  }),
];
