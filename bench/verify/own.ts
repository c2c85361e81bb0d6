/** The package as it is built, by each of its ways. */
import { createVerifier, type Verifier } from '@document-vault/webhook-verify';
import { type Contestant, contestant } from './contestants.ts';
import { secret, sign } from './secret.ts';

/** Node never chooses this build by itself. */
const webBuild = new URL('../../packages/webhook-verify/dist/index.js', import.meta.url).href;
const web: { readonly createVerifier: (options: { secrets: string[] }) => Verifier } = await import(
  webBuild
);

const onNode = createVerifier({ secrets: [secret] });
const onWeb = web.createVerifier({ secrets: [secret] });

const alone = { kind: 'own', parses: false, sign } as const;
const parsed = { kind: 'own', parses: true, sign } as const;

export const own: readonly Contestant[] = [
  contestant({ ...alone, title: 'verifySignatureSync', verify: onNode.verifySignatureSync }),
  contestant({ ...alone, title: 'verifySignature', verify: onNode.verifySignature }),
  contestant({
    ...alone,
    title: 'verifySignature, Web Crypto build',
    verify: onWeb.verifySignature,
  }),
  contestant({ ...parsed, title: 'verifySync', verify: onNode.verifySync }),
  contestant({ ...parsed, title: 'verify', verify: onNode.verify }),
  contestant({ ...parsed, title: 'verify, Web Crypto build', verify: onWeb.verify }),
];
