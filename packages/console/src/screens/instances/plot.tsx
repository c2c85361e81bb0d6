import { useState } from 'preact/hooks';
import { formatDay } from '../../messages/format.ts';
import { instanceTexts } from './messages.ts';
import { scaleOf } from './scale.ts';

interface Point {
  readonly at: string;
  readonly value: number;
}

interface PlotProps {
  readonly label: string;
  readonly points: readonly Point[];
  /** The time that the horizontal axis covers. */
  readonly from: string;
  readonly to: string;
  readonly format: (value: number) => string;
}

/** In units of the view box, which is stretched to the width of the card. */
const [width, height, inset] = [600, 120, 6];

const day = 86_400_000;

/** A plot of days. Pointer and arrow keys choose a day, whose figure is announced. */
export function Plot({ label, points, from, to, format }: PlotProps) {
  const t = instanceTexts.value;
  const [chosen, setChosen] = useState<number>();
  const [start, end] = [Date.parse(from), Date.parse(to)];
  const scale = scaleOf(Math.max(...points.map(({ value }) => value)));
  const highest = scale.at(-1) ?? 1;
  const x = ({ at }: Point) => ((Date.parse(at) - start) / Math.max(end - start, 1)) * width;
  const heightOf = (value: number) => height - inset - (value / highest) * (height - 2 * inset);
  const y = ({ value }: Point) => heightOf(value);
  const last = points.length - 1;
  const shown = points[chosen ?? last];
  const text = shown && t.atDay(formatDay(shown.at), format(shown.value));
  const move = (event: KeyboardEvent) => {
    const at = chosen ?? last;
    const target = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    setChosen(Math.min(Math.max(target, 0), last));
  };
  const point = (event: PointerEvent & { currentTarget: HTMLElement }) => {
    const box = event.currentTarget.getBoundingClientRect();
    const wanted = ((event.clientX - box.left) / box.width) * width;
    const distances = points.map((candidate) => Math.abs(x(candidate) - wanted));
    setChosen(distances.indexOf(Math.min(...distances)));
  };
  return (
    <figure class="plot card">
      <figcaption>
        <span class="soft">{label}</span>
        <span role="status">{text}</span>
      </figcaption>
      <div class="plot-body">
        <Scale scale={scale} format={format} />
        {/* Screen readers speak the text of a slider's value at each key. */}
        <div
          class="plot-frame"
          role="slider"
          tabIndex={0}
          aria-label={`${label}. ${t.plotHint}`}
          aria-valuemin={0}
          aria-valuemax={last}
          aria-valuenow={chosen ?? last}
          aria-valuetext={text}
          onKeyDown={move}
          onPointerMove={point}
          onPointerLeave={() => setChosen(undefined)}
        >
          <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
            {scale.map((value) => {
              const at = heightOf(value);
              return <line key={value} class="plot-axis" x1="0" x2={width} y1={at} y2={at} />;
            })}
            {runsOf(points).map((run) => (
              <Run key={run[0]?.at} run={run} x={x} y={y} />
            ))}
            {shown && <line class="plot-cursor" x1={x(shown)} x2={x(shown)} y1="0" y2={height} />}
          </svg>
        </div>
      </div>
    </figure>
  );
}

interface ScaleProps {
  readonly scale: readonly number[];
  readonly format: (value: number) => string;
}

/** The values of the horizontal lines. Screen readers have the figures by the slider and by the table. */
function Scale({ scale, format }: ScaleProps) {
  return (
    <div class="plot-scale soft" aria-hidden="true">
      {scale.toReversed().map((value) => (
        <span key={value}>{format(value)}</span>
      ))}
    </div>
  );
}

interface RunProps {
  readonly run: readonly Point[];
  readonly x: (point: Point) => number;
  readonly y: (point: Point) => number;
}

/** A line through days that follow each other, with its area. A single day is a short line. */
function Run({ run, x, y }: RunProps) {
  const [first] = run;
  const last = run.at(-1);
  if (!first || !last) return null;
  const single = run.length === 1 ? ' h4' : '';
  const line = `M${run.map((point) => `${x(point)} ${y(point)}`).join(' L')}${single}`;
  const ground = height - inset;
  return (
    <>
      <path class="plot-area" d={`${line} V${ground} H${x(first)} Z`} />
      <path class="plot-line" d={line} />
    </>
  );
}

/** Splits points where days are missing: a gap is not a zero. */
function runsOf(points: readonly Point[]): Point[][] {
  const runs: Point[][] = [];
  for (const point of points) {
    const run = runs.at(-1);
    const before = run?.at(-1);
    const follows = before && Date.parse(point.at) - Date.parse(before.at) < 1.5 * day;
    if (run && follows) run.push(point);
    else runs.push([point]);
  }
  return runs;
}
