import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../components/icon.tsx';
import { formatCountdown, formatNumber } from '../messages/format.ts';
import { rateLimit, waitsUntil } from '../service/client.ts';
import { shellTexts } from './messages.ts';

/** Renders the component again every second until a moment. Returns the seconds until then. */
function useSecondsUntil(moment: number | undefined): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (moment === undefined) return;
    setNow(Date.now());
    const timer = setInterval(() => {
      const time = Date.now();
      setNow(time);
      if (time >= moment) clearInterval(timer);
    }, 1000);
    return () => clearInterval(timer);
  }, [moment]);
  return moment === undefined ? 0 : Math.max(0, Math.ceil((moment - now) / 1000));
}

/** The requests that are left in this minute, as the last response reported them. */
export function LimitGauge() {
  const { minute } = rateLimit.value ?? {};
  const seconds = useSecondsUntil(minute?.resetAt.getTime());
  if (!minute) return null;
  const t = shellTexts.value;
  const { limit } = minute;
  const remaining = seconds > 0 ? minute.remaining : limit;
  const left = t.limitLeft(formatNumber(remaining), formatNumber(limit));
  return (
    <div class="gauge" title={t.limit}>
      <span class="gauge-text">
        <span>{t.limit}</span>
        <span>{left}</span>
      </span>
      <meter
        aria-label={t.limit}
        aria-valuetext={left}
        min={0}
        max={limit}
        low={limit * 0.2}
        optimum={limit}
        value={remaining}
      />
    </div>
  );
}

/** Counts down while the service accepts no request. The client goes on by itself. */
export function LimitBanner() {
  const seconds = useSecondsUntil(waitsUntil.value);
  const t = shellTexts.value;
  const isWaiting = waitsUntil.value !== undefined && seconds > 0;
  return (
    <>
      {isWaiting && (
        <section class="banner" aria-label={t.limit}>
          <Icon name="gauge" />
          <span>{t.waiting(formatCountdown(seconds))}</span>
        </section>
      )}
      {/* Announced once, not every second. */}
      <span class="visually-hidden" role="status">
        {isWaiting && <Announcement />}
      </span>
    </>
  );
}

function Announcement() {
  const [text] = useState(() => {
    const seconds = ((waitsUntil.value ?? 0) - Date.now()) / 1000;
    return shellTexts.value.waiting(formatCountdown(Math.max(0, seconds)));
  });
  return <>{text}</>;
}
