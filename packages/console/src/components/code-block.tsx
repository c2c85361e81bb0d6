import { CopyButton } from './button.tsx';

interface CodeBlockProps {
  /** The name of the block. */
  readonly label: string;
  readonly code: string;
  /** Colours keys and values. @default false */
  readonly isJson?: boolean;
}

/** Text of a program, with a button that copies it. */
export function CodeBlock({ label, code, isJson = false }: CodeBlockProps) {
  return (
    <figure class="code-block">
      <figcaption>
        <span>{label}</span>
        <CopyButton text={code} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls a long block */}
      <pre tabIndex={0}>
        <code>{isJson ? <Json text={code} /> : code}</code>
      </pre>
    </figure>
  );
}

/** Strings with the colon that makes them keys; words and numbers. */
const token = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\b[\w.+-]+/g;

/** JSON with its parts in colours. Above a limit the text stays plain: each part is an element. */
function Json({ text }: { readonly text: string }) {
  if (text.length > 50_000) return <>{text}</>;
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(token)) {
    const [whole, quoted, colon] = match;
    parts.push(text.slice(end, match.index));
    const kind = colon ? 'key' : quoted ? 'text' : 'other';
    parts.push(
      <span key={match.index} class={`json-${kind}`}>
        {quoted ?? whole}
      </span>,
      colon,
    );
    end = match.index + whole.length;
  }
  return (
    <>
      {parts}
      {text.slice(end)}
    </>
  );
}
