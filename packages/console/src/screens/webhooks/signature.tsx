import { sign } from '@document-vault/webhook-verify/testing';
import { useState } from 'preact/hooks';
import {
  FormError,
  FormView,
  SecretField,
  Submit,
  TextArea,
  TextField,
  useForm,
} from '../../components/form.tsx';
import { Page } from '../../components/page.tsx';
import { Note } from '../../components/states.tsx';
import { pathTo } from '../../service/addresses.ts';
import { webhookTexts } from './messages.ts';

const resultKinds = {
  right: 'success',
  wrong: 'error',
  malformed: 'error',
  secretShort: 'error',
  secretSpace: 'error',
  trimmed: 'warning',
  reformatted: 'warning',
} as const;

type Result = keyof typeof resultKinds;

/** Checks the signature of a delivery, without a request. */
export default function SignatureChecker() {
  const t = webhookTexts.value;
  const [result, setResult] = useState<Result>();
  const form = useForm(async ({ secret = '', signature = '', body = '' }) => {
    setResult(await check({ secret, signature: signature.trim(), body }));
  });
  return (
    <Page
      title={t.checker}
      description={t.checkerText}
      above={<a href={pathTo('webhooks')}>{t.title}</a>}
    >
      <FormView form={form} class="card padded stack">
        <SecretField name="secret" label={t.curlSecret} autocomplete="off" required />
        <TextField
          name="signature"
          label={t.header}
          placeholder="hmac_sha256="
          autocomplete="off"
          spellcheck={false}
          required
        />
        <TextArea
          name="body"
          label={t.body}
          hint={t.bodyHint}
          rows={10}
          spellcheck={false}
          required
        />
        <FormError />
        <div role="status">
          {result !== undefined && <Note kind={resultKinds[result]}>{t[result]}</Note>}
        </div>
        <span>
          <Submit action={t.check} icon="shield-check" />
        </span>
      </FormView>
    </Page>
  );
}

interface Signed {
  readonly secret: string;
  readonly signature: string;
  readonly body: string;
}

/** Compares the signature with that of the body, then with those of the forms that programs change bodies into. */
async function check({ secret, signature, body }: Signed): Promise<Result> {
  if (/^\s|\s$/.test(secret)) return 'secretSpace';
  if (secret.length < 32) return 'secretShort';
  if (!/^hmac_sha256=[0-9a-f]{64}$/.test(signature)) return 'malformed';
  const fits = async (text: string) => (await sign(text, secret)) === signature;
  if (await fits(body)) return 'right';
  if (await fits(body.trim())) return 'trimmed';
  const compact = compactJson(body);
  return compact !== undefined && (await fits(compact)) ? 'reformatted' : 'wrong';
}

function compactJson(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return undefined;
  }
}
