import type { AccountUsage } from '@document-vault/sdk';
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
            <meter
              aria-label={`${t[name]}: ${text}`}
              min={0}
              max={limit}
              high={limit * 0.8}
              optimum={0}
              value={used}
            />
          </li>
        );
      })}
    </ul>
  );
}
