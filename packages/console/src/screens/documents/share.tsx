import type { CreatedShare, Document } from '@document-vault/sdk';
import { shareUrl } from '@document-vault/sdk/share';
import { generate } from 'lean-qr';
import { useState } from 'preact/hooks';
import { Button, CopyButton } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { FormEnd, FormView, SelectField, TextField, useForm } from '../../components/form.tsx';
import { Segments } from '../../components/options.tsx';
import { Note } from '../../components/states.tsx';
import { formatTime } from '../../messages/format.ts';
import { client, send } from '../../service/client.ts';
import { outdate } from '../../service/loading.ts';
import type { DocumentProps } from './dialogs.tsx';
import { shownName } from './names.ts';
import { Links } from './share-links.tsx';
import { shareTexts } from './share-messages.ts';

/** Creates links of a document, and ends them. */
export default function Share({ document }: DocumentProps) {
  const t = shareTexts.value;
  const [tab, setTab] = useState<'create' | 'existing'>('create');
  const [created, setCreated] = useState<{ share: CreatedShare; link: string }>();
  return (
    <Dialog title={t.title(shownName(document))} size="large">
      <div class="stack">
        <Segments
          label={t.links}
          options={[
            ['create', t.newLink],
            ['existing', t.existing],
          ]}
          chosen={tab}
          onChange={(chosen) => {
            setTab(chosen);
            setCreated(undefined);
          }}
        />
        {tab === 'existing' ? (
          <Links document={document} />
        ) : created ? (
          <CreatedLink {...created} onAnother={() => setCreated(undefined)} />
        ) : (
          <Create document={document} onCreated={(share, link) => setCreated({ share, link })} />
        )}
      </div>
    </Dialog>
  );
}

const day = 86_400_000;
const durations = [1, 7, 30, 365] as const;

interface CreateProps {
  readonly document: Document;
  readonly onCreated: (share: CreatedShare, link: string) => void;
}

function Create({ document, onCreated }: CreateProps) {
  const t = shareTexts.value;
  const form = useForm(async ({ days = '7', maxAccessCount }) => {
    // A little less than a year, which is the longest: the clocks of browser and service differ.
    const lasts = Number(days) * day - (days === '365' ? day / 24 : 0);
    const share = await send(
      client.shares.create(document.id, {
        access: 'anyone',
        expiresAt: new Date(Date.now() + lasts).toISOString(),
        maxAccessCount: maxAccessCount ? Number(maxAccessCount) : null,
      }),
    );
    outdate(`shares ${document.id}`);
    onCreated(share, await shareUrl(share, { document }));
  });
  return (
    <FormView form={form}>
      <p class="soft">{t.lead}</p>
      <div class="columns">
        <SelectField
          name="days"
          label={t.expires}
          chosen="7"
          options={durations.map((days) => [String(days), t.days(days)])}
        />
        <TextField
          name="maxAccessCount"
          label={t.cap}
          type="number"
          isOptional
          min={1}
          max={1_000_000}
          placeholder={t.noCap}
        />
      </div>
      <FormEnd action={t.create} icon="link" />
    </FormView>
  );
}

interface CreatedLinkProps {
  readonly share: CreatedShare;
  readonly link: string;
  readonly onAnother: () => void;
}

/** The only time that a link is shown: the service stores neither token nor key. */
function CreatedLink({ share, link, onAnother }: CreatedLinkProps) {
  const t = shareTexts.value;
  return (
    <div class="stack">
      <Note kind="success">{t.created}</Note>
      <div class="share-created">
        <QrCode text={link} label={t.qr} />
        <div class="stack">
          <output class="share-link">{link}</output>
          <div class="row">
            <CopyButton kind="primary" text={link} label={t.copyLink} />
            <Button onClick={onAnother}>{t.another}</Button>
          </div>
          <p class="hint">{t.ends(formatTime(share.expiresAt))}</p>
        </div>
      </div>
    </div>
  );
}

/** A QR code with the quiet zone of four modules that scanners need, dark on white in both themes. */
function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const code = generate(text);
  const margin = 4;
  const size = code.size + 2 * margin;
  const cells = Array.from({ length: code.size ** 2 }, (_, index) => [
    index % code.size,
    Math.floor(index / code.size),
  ]);
  const path = cells
    .filter(([x = 0, y = 0]) => code.get(x, y))
    .map(([x = 0, y = 0]) => `M${x + margin} ${y + margin}h1v1h-1z`)
    .join('');
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
}
