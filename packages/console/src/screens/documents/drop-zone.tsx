import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../../components/icon.tsx';
import { documentTexts } from './messages.ts';

/** Takes files that are dropped on the window or pasted. A button beside it does the same without dragging. */
export function DropZone({
  onFiles,
  children,
}: {
  /** Undefined while nothing can be uploaded: files are then ignored, and the browser does not open them. */
  readonly onFiles: ((files: readonly File[]) => void) | undefined;
  readonly children: ComponentChildren;
}) {
  const [isOver, setOver] = useState(false);
  const receive = useRef(onFiles);
  receive.current = onFiles;
  useEffect(() => {
    // Each element that the pointer enters reports it.
    let depth = 0;
    const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files');
    const isTaken = () => receive.current && !document.querySelector('dialog[open]');
    const listeners = {
      dragenter(event: DragEvent) {
        if (!hasFiles(event)) return;
        depth += 1;
        setOver(Boolean(isTaken()));
      },
      dragleave(event: DragEvent) {
        if (!hasFiles(event)) return;
        depth -= 1;
        setOver(depth > 0 && Boolean(isTaken()));
      },
      dragover(event: DragEvent) {
        if (hasFiles(event)) event.preventDefault();
      },
      drop(event: DragEvent) {
        if (!hasFiles(event)) return;
        event.preventDefault();
        depth = 0;
        setOver(false);
        if (isTaken()) void droppedFiles(event).then((files) => receive.current?.(files));
      },
    };
    const paste = ({ clipboardData, target }: ClipboardEvent) => {
      const files = [...(clipboardData?.files ?? [])];
      const isTyping = target instanceof HTMLInputElement;
      if (files.length > 0 && !isTyping && isTaken()) receive.current?.(files);
    };
    const names = ['dragenter', 'dragleave', 'dragover', 'drop'] as const;
    for (const name of names) addEventListener(name, listeners[name]);
    addEventListener('paste', paste);
    return () => {
      for (const name of names) removeEventListener(name, listeners[name]);
      removeEventListener('paste', paste);
    };
  }, []);
  return (
    <>
      {children}
      {isOver && (
        <div class="drop-overlay">
          <Icon name="cloud-upload" size={32} />
          {documentTexts.value.drop}
        </div>
      )}
    </>
  );
}

/** Returns the dropped files, with those of folders. */
async function droppedFiles({ dataTransfer }: DragEvent): Promise<File[]> {
  // The list is empty after the event: everything is taken from it first.
  const items = [...(dataTransfer?.items ?? [])].filter(({ kind }) => kind === 'file');
  const sources = items.map((item) => item.webkitGetAsEntry() ?? item.getAsFile());
  const files = await Promise.all(
    sources.map(async (source) => {
      if (source instanceof File) return [source];
      return source ? filesOf(source) : [];
    }),
  );
  return files.flat();
}

async function filesOf(entry: FileSystemEntry): Promise<File[]> {
  if (entry.isFile) {
    return [
      await new Promise<File>((resolve, reject) =>
        (entry as FileSystemFileEntry).file(resolve, reject),
      ),
    ];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const files: File[] = [];
  for (;;) {
    // It returns a hundred entries at a time.
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (entries.length === 0) return files;
    for (const inner of entries) files.push(...(await filesOf(inner)));
  }
}
