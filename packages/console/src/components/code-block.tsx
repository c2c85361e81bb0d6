import { CopyButton } from './button.tsx';

interface CodeBlockProps {
  /** The name of the block. */
  readonly label: string;
  readonly code: string;
}

/** Text of a program, with a button that copies it. */
export function CodeBlock({ label, code }: CodeBlockProps) {
  return (
    <figure class="code-block">
      <figcaption>
        <span>{label}</span>
        <CopyButton text={code} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls a long block */}
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
    </figure>
  );
}
