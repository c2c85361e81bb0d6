import type { DecryptedStream, Document } from '@document-vault/sdk';
import { decodeText } from '@document-vault/sdk/crypto';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { addressOf, startServing, stopServing } from '../../../../server/file-worker/serving.ts';
import { Actions, Button } from '../../components/button.tsx';
import { Dialog, useClose } from '../../components/dialog.tsx';
import { Empty, Failed } from '../../components/states.tsx';
import { formatSize } from '../../messages/format.ts';
import { catalogue } from '../../messages/language.ts';
import { consoleUrl } from '../../service/addresses.ts';
import { client, send } from '../../service/client.ts';
import { noteActivity } from '../../service/keys.ts';
import type { DocumentProps } from './dialogs.tsx';
import { documentTexts } from './messages.ts';
import { shownName } from './names.ts';
import { collect, download } from './transfers.ts';
import { kindOf } from './types.ts';

const texts = catalogue({
  opening: ['Downloading and decrypting', 'Wird heruntergeladen und entschlüsselt'],
  noPreview: ['There is no preview of this type', 'Für diesen Typ gibt es keine Vorschau'],
  notShown: ['Your browser cannot show this file', 'Ihr Browser kann diese Datei nicht anzeigen'],
  otherProgram: [
    'Download the document to open it with a program of your computer.',
    'Laden Sie das Dokument herunter, um es mit einem Programm zu öffnen.',
  ],
  tooLarge: [
    (size: string) => `Previews end at ${size}`,
    (size) => `Vorschauen gibt es bis ${size}`,
  ],
  tooLargeWay: [
    (size: string) => `This document has ${size}. Download it to open it.`,
    (size) => `Dieses Dokument ist ${size} groß. Laden Sie es herunter, um es zu öffnen.`,
  ],
  cut: [
    (size: string) => `The first ${size} are shown. Download the document to read all of it.`,
    (size) =>
      `Die ersten ${size} werden gezeigt. Laden Sie das Dokument herunter, um alles zu lesen.`,
  ],
  source: [
    'HTML and SVG are shown as text: nothing in them runs here.',
    'HTML und SVG werden als Text gezeigt: Nichts darin wird hier ausgeführt.',
  ],
  page: [(name: string) => `Content of ${name}`, (name) => `Inhalt von ${name}`],
});

/** Maximum size in bytes of a preview that is decrypted as a whole, in the memory of the page. */
const maxPreview = 64_000_000;
/** Minimum size in bytes of films and sounds that are decrypted while they are played, if there is a service worker. */
const minPlayed = 32_000_000;
/** Longer texts would freeze the page. */
const maxText = 500_000;

type Viewer = 'image' | 'audio' | 'video' | 'pdf' | 'text';

/** The types that browsers show without running anything of them. */
const viewers: Readonly<Record<string, Viewer>> = {
  'image/png': 'image',
  'image/jpeg': 'image',
  'image/gif': 'image',
  'image/webp': 'image',
  'image/avif': 'image',
  'image/bmp': 'image',
  'audio/mpeg': 'audio',
  'audio/mp4': 'audio',
  'audio/ogg': 'audio',
  'audio/wav': 'audio',
  'audio/flac': 'audio',
  'audio/webm': 'audio',
  'video/mp4': 'video',
  'video/webm': 'video',
  'video/ogg': 'video',
  'application/pdf': 'pdf',
  'application/json': 'text',
  'application/xml': 'text',
  'image/svg+xml': 'text',
};

/** Documents in these languages could run scripts: they are text here. */
const sources = ['text/html', 'image/svg+xml', 'application/xhtml+xml'];

function viewerOf(mimeType: string): Viewer | undefined {
  if (Object.hasOwn(viewers, mimeType)) return viewers[mimeType];
  return mimeType.startsWith('text/') || sources.includes(mimeType) ? 'text' : undefined;
}

/** Shows a document without saving it. */
export default function Preview({ document }: DocumentProps) {
  const name = shownName(document);
  const close = useClose();
  return (
    <Dialog title={name} size="large">
      <div class="stack">
        <div class="preview">
          <Shown document={document} viewer={viewerOf(document.mimeType)} />
        </div>
        <Actions>
          <Button
            kind="primary"
            icon="download"
            onClick={() => {
              download(document, name);
              close();
            }}
          >
            {documentTexts.value.download}
          </Button>
        </Actions>
      </div>
    </Dialog>
  );
}

interface ShownProps {
  readonly document: Document;
  readonly viewer: Viewer | undefined;
}

function Shown({ document, viewer }: ShownProps) {
  const t = texts.value;
  if (!viewer) return <NotShown document={document} title={t.noPreview} />;
  if (viewer === 'pdf' && !navigator.pdfViewerEnabled) {
    return <NotShown document={document} title={t.notShown} />;
  }
  const canPlay = viewer === 'video' || viewer === 'audio';
  const Content = canPlay && document.sizeBytes >= minPlayed ? Played : Whole;
  return <Content document={document} viewer={viewer} />;
}

function NotShown({ document, title }: { readonly document: Document; readonly title: string }) {
  return (
    <Empty icon={kindOf(document.mimeType).icon} title={title}>
      {texts.value.otherProgram}
    </Empty>
  );
}

interface ContentProps {
  readonly document: Document;
  readonly viewer: Viewer;
}

/** A film or a sound that is decrypted while it is played, from any moment. */
function Played(props: ContentProps) {
  const { document } = props;
  const [address, setAddress] = useState<string>();
  const [error, setError] = useState<unknown>();
  const [canServe, setCanServe] = useState(true);
  const [attempt, setAttempt] = useState(0);
  // Its end is part of the lock that removes the preview. The end of an effect would wait until the page is painted.
  useLayoutEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const fail = (cause: unknown) => {
      if (!signal.aborted) setError(cause);
    };
    setError(undefined);
    setAddress(undefined);
    openFile(document, signal).then((file) => {
      if (signal.aborted) return;
      setCanServe(file !== undefined);
      setAddress(file && addressOf(file, fail));
    }, fail);
    return () => {
      controller.abort();
      stopServing();
    };
  }, [document.id, attempt]);
  if (!canServe) return <Whole {...props} />;
  if (error !== undefined) return <Failed error={error} onRetry={() => setAttempt(attempt + 1)} />;
  if (!address) return <Opening />;
  return <Media src={address} {...props} />;
}

/** An image, a film or a sound. The console stays unlocked while it plays. */
function Media({ src, document, viewer }: ContentProps & { readonly src: string }) {
  const [canShow, setCanShow] = useState(true);
  if (!canShow) return <NotShown document={document} title={texts.value.notShown} />;
  const name = shownName(document);
  const onError = () => setCanShow(false);
  if (viewer === 'image') return <img src={src} alt={name} onError={onError} />;
  const Player = viewer === 'video' ? 'video' : 'audio';
  return (
    <Player src={src} controls aria-label={name} onError={onError} onTimeUpdate={noteActivity} />
  );
}

/** Opens a document for the service worker, undefined where there is none. */
async function openFile(
  { id }: Document,
  signal: AbortSignal,
): Promise<DecryptedStream | undefined> {
  if (!(await startServing(consoleUrl))) return undefined;
  return send(client.documents.download(id, { as: 'stream', signal }));
}

function Opening({ share }: { share?: number | undefined }) {
  const t = texts.value;
  return (
    <div class="preview-progress">
      <p>{t.opening}</p>
      <progress aria-label={t.opening} max={1} value={share} />
    </div>
  );
}

/** A document that is decrypted as a whole. */
function Whole(props: ContentProps) {
  const { document } = props;
  const t = texts.value;
  if (document.sizeBytes <= maxPreview) return <Content {...props} />;
  return (
    <Empty icon={kindOf(document.mimeType).icon} title={t.tooLarge(formatSize(maxPreview))}>
      {t.tooLargeWay(formatSize(document.sizeBytes))}
    </Empty>
  );
}

function Content({ document, viewer }: ContentProps) {
  const [blob, setBlob] = useState<Blob>();
  const [charset, setCharset] = useState<string>();
  const [error, setError] = useState<unknown>();
  const [share, setShare] = useState<number>();
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const read = async () => {
      const opened = await send(client.documents.download(document.id, { as: 'stream', signal }));
      const content = await collect(opened.stream, (bytes) => {
        signal.throwIfAborted();
        setShare(bytes / Math.max(opened.size, 1));
      });
      setCharset(opened.charset);
      // The type of the list chose the viewer: the blob has that type and no other.
      setBlob(new Blob([content], { type: viewer === 'text' ? 'text/plain' : document.mimeType }));
    };
    setError(undefined);
    read().catch((cause) => {
      if (!signal.aborted) setError(cause);
    });
    return () => controller.abort();
  }, [document.id, attempt]);
  if (error !== undefined) return <Failed error={error} onRetry={() => setAttempt(attempt + 1)} />;
  if (!blob) return <Opening share={share} />;
  if (viewer === 'text') return <TextContent blob={blob} charset={charset} document={document} />;
  return <BlobContent blob={blob} document={document} viewer={viewer} />;
}

function BlobContent({ blob, ...props }: ContentProps & { readonly blob: Blob }) {
  const t = texts.value;
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const created = URL.createObjectURL(blob);
    setUrl(created);
    return () => URL.revokeObjectURL(created);
  }, [blob]);
  if (!url) return null;
  if (props.viewer === 'pdf') return <iframe src={url} title={t.page(shownName(props.document))} />;
  return <Media src={url} {...props} />;
}

interface TextProps {
  readonly blob: Blob;
  readonly charset: string | undefined;
  readonly document: Document;
}

function TextContent({ blob, charset, document }: TextProps) {
  const t = texts.value;
  const [text, setText] = useState<string>();
  useEffect(() => {
    const isCut = blob.size > maxText;
    void blob
      .slice(0, maxText)
      .arrayBuffer()
      .then((bytes) => setText(decodeText(new Uint8Array(bytes), { charset, isCut })));
  }, [blob, charset]);
  return (
    <>
      {sources.includes(document.mimeType) && <p class="hint">{t.source}</p>}
      {blob.size > maxText && <p class="hint">{t.cut(formatSize(maxText))}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls a long text */}
      <section class="preview-text" tabIndex={0} aria-label={t.page(shownName(document))}>
        <pre>{text}</pre>
      </section>
    </>
  );
}
