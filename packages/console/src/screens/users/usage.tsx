import type { AccountUsage } from '@document-vault/sdk';
import { Used } from '../../components/facts.tsx';
import { formatNumber, formatSize } from '../../messages/format.ts';
import { userTexts } from './messages.ts';

/** What an account uses of its limits. */
export function Usage({ usage }: { readonly usage: AccountUsage }) {
  const t = userTexts.value;
  return (
    <ul class="usage">
      {(Object.keys(usage) as (keyof AccountUsage)[]).map((name) => {
        const { used, limit } = usage[name];
        const format = name === 'bytes' ? formatSize : formatNumber;
        const text = t.usedOf(format(used), format(limit));
        return (
          <li key={name}>
            <span class="usage-text">
              <span>{t[name]}</span>
              <span class="soft number">{text}</span>
            </span>
            <Used label={`${t[name]}: ${text}`} {...usage[name]} />
          </li>
        );
      })}
    </ul>
  );
}
