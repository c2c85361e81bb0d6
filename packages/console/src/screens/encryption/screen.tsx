import type { Keyring, Unlocker } from '@document-vault/sdk';
import { Button } from '../../components/button.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { Lines } from '../../components/facts.tsx';
import { Icon } from '../../components/icon.tsx';
import { Page } from '../../components/page.tsx';
import { Await } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { common } from '../../messages/common.ts';
import { accountKeys, useKeyring } from '../../service/keys.ts';
import { supportsPasskeys } from '../../service/passkeys.ts';
import { sessionTexts } from '../../session/messages.ts';
import { UnlockCard } from '../../session/unlock-card.tsx';
import { AddPasskey, AddRecoveryKey, ChangePassphrase, Remove } from './dialogs.tsx';
import { encryptionTexts } from './messages.ts';

/** The unlockers of the user's keyring. */
export default function Encryption() {
  const t = encryptionTexts.value;
  return (
    <Page title={t.title} description={t.description}>
      {accountKeys.value ? <UnlockedKeyring /> : <UnlockCard />}
    </Page>
  );
}

function UnlockedKeyring() {
  const loaded = useKeyring();
  return <Await loaded={loaded}>{(keyring) => keyring && <Unlockers keyring={keyring} />}</Await>;
}

function Unlockers({ keyring }: { readonly keyring: Keyring }) {
  const t = encryptionTexts.value;
  const { dialog, show } = useDialog();
  return (
    <section class="card padded stack" aria-label={t.unlockers}>
      <p class="soft">{t.lead}</p>
      <ul class="rows">
        {keyring.unlockers.map((unlocker) => (
          <li key={unlocker.id}>
            <Icon name={icons[unlocker.type]} />
            <Lines below={<Time at={unlocker.createdAt} form="day" />}>
              <strong>{nameOf(unlocker)}</strong>
            </Lines>
            {unlocker.type === 'passphrase' ? (
              <Button icon="pencil" onClick={() => show(<ChangePassphrase />)}>
                {common.value.change}
              </Button>
            ) : (
              <Button
                icon="trash-2"
                aria-label={`${t.remove}: ${nameOf(unlocker)}`}
                onClick={() => show(<Remove unlocker={unlocker} name={nameOf(unlocker)} />)}
              >
                {t.remove}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {keyring.unlockers.length < maxUnlockers && (
        <div class="row">
          {supportsPasskeys && (
            <Button icon="plus" onClick={() => show(<AddPasskey />)}>
              {t.addPasskey}
            </Button>
          )}
          <Button icon="plus" onClick={() => show(<AddRecoveryKey />)}>
            {t.addRecoveryKey}
          </Button>
        </div>
      )}
      {dialog}
    </section>
  );
}

/** The limit of the contract. */
const maxUnlockers = 20;

const icons = { passphrase: 'lock', recoveryKey: 'file-text', passkey: 'key-round' } as const;

/** The labels that clients of the SDK give are English. */
function nameOf({ type, label }: Unlocker): string {
  const usual = { passphrase: 'Passphrase', recoveryKey: 'Recovery key', passkey: 'Passkey' }[type];
  return label === usual ? sessionTexts.value[type] : label;
}
