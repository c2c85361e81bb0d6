/** The package as it is built, with each header and each cryptography. */
import { createVerifier, type HeaderSource, type Verifier } from '@document-vault/webhook-verify';
import { type Contestant, contestant } from './contestants.ts';
import { eventId, secret, sign, signStandard } from './secret.ts';

const onNode = createVerifier({ secrets: secret });
const onWeb = withoutNodeCrypto(() => createVerifier({ secrets: secret }));

export const own: readonly Contestant[] = [
  ...contestants('verify', onNode),
  ...contestants('verify on Web Crypto', onWeb),
];

function contestants(title: string, { verify }: Verifier): Contestant[] {
  const shared = { kind: 'own', parses: true } as const;
  return [
    contestant({
      ...shared,
      title: `${title}, X-Service-Signature`,
      sign: (text): HeaderSource => ({ 'x-service-signature': sign(text) }),
      verify,
    }),
    contestant({
      ...shared,
      title: `${title}, webhook-signature`,
      sign: (text): HeaderSource => signStandard(text, 'webhook', eventId),
      verify,
    }),
  ];
}

/** Runs `work` as on a platform that has Web Crypto alone. */
function withoutNodeCrypto<Result>(work: () => Result): Result {
  const { getBuiltinModule } = process;
  Object.assign(process, { getBuiltinModule: undefined });
  const result = work();
  Object.assign(process, { getBuiltinModule });
  return result;
}
