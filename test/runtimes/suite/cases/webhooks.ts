import { createVerifier } from '@document-vault/webhook-verify';
import { fixture, sign, signedRequest } from '@document-vault/webhook-verify/testing';
import { rejects, same } from '../check.ts';
import type { Case } from '../suite.ts';

/** Computed by OpenSSL 3.0: `printf %s "$BODY" | openssl dgst -sha256 -hmac "$SECRET"`. */
const vector = {
  secret: 'whsec_example_0123456789abcdefghijklmnop',
  body: '{"id":"evt_018f3c5e","type":"vault.deleted","timestamp":"2026-03-02T09:17:30.512Z","apiVersion":"v1","data":{"object":{"id":"019cadd6-a210-7670-891a-985ccc8c71a2","documentCount":17}},"context":{"userId":null,"instanceId":"019b8d2b-8c00-7db1-baa7-76cb5c5c64ab","requestId":null,"ipAddress":"2001:db8::7"},"note":"Grüße, 金庫 🗄"}',
  header: 'hmac_sha256=e6aa402b3130607d369fd38c335bc4a86fb009bb44cee263c63a33a0f8a79af9',
};

export const webhookCases: readonly Case[] = [
  {
    name: 'sign returns the signature that OpenSSL computes, for a string and for bytes',
    async run() {
      same(await sign(vector.body, vector.secret), vector.header, 'signature of the string');
      const bytes = new TextEncoder().encode(vector.body);
      same(await sign(bytes, vector.secret), vector.header, 'signature of the bytes');
    },
  },
  {
    name: 'a signed request is verified, and rejects with signature_mismatch after a change',
    async run() {
      const { secret } = vector;
      const event = fixture('document.uploaded');
      const { body, headers } = await signedRequest(event, secret);
      const webhooks = createVerifier({ secrets: [secret] });
      for (const given of [headers, new Headers(headers), headers['X-Service-Signature']]) {
        same(await webhooks.verify(body, given ?? null), event, 'event');
        await rejects(webhooks.verify(`${body} `, given ?? null), {
          name: 'WebhookVerificationError',
          code: 'signature_mismatch',
        });
      }
    },
  },
  {
    name: 'a request that was sent 400 s ago rejects with outside_tolerance',
    async run() {
      const { secret } = vector;
      const sentAt = new Date(Date.now() - 400_000);
      const { body, headers } = await signedRequest(fixture('vault.created'), secret, { sentAt });
      await rejects(createVerifier({ secrets: secret }).verify(body, headers), {
        name: 'WebhookVerificationError',
        code: 'outside_tolerance',
      });
    },
  },
  {
    name: 'sign with a secret of 31 characters rejects with secret_too_short',
    async run() {
      await rejects(sign('{}', 'x'.repeat(31)), {
        name: 'WebhookVerificationError',
        code: 'secret_too_short',
      });
    },
  },
];
