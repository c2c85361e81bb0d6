/** Films for the tests of players: WebM files that Chromium encodes and this module writes. */
import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { Page } from 'playwright-core';

const mebibyte = 1024 * 1024;

/** Each second of a film has one colour; they repeat. */
export const colours = 8;

const size = { width: 160, height: 90 };

/** Frames per second. They are equal and independent of each other. */
const frameRate = 5;

/** Encodes one picture of each colour as a key frame of VP8. The page needs a secure origin. */
export async function encodeFrames(page: Page): Promise<Buffer[]> {
  const frames = await page.evaluate(
    async ({ colours, width, height }) => {
      const encoded: string[] = [];
      const encoder = new VideoEncoder({
        output(chunk) {
          const bytes = new Uint8Array(chunk.byteLength);
          chunk.copyTo(bytes);
          encoded.push(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
        },
        error(error) {
          throw error;
        },
      });
      encoder.configure({ codec: 'vp8', width, height });
      const canvas = new OffscreenCanvas(width, height);
      const context = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D;
      for (let index = 0; index < colours; index++) {
        context.fillStyle = `hsl(${(360 * index) / colours} 100% 50%)`;
        context.fillRect(0, 0, width, height);
        const frame = new VideoFrame(canvas, { timestamp: index * 1_000_000 });
        encoder.encode(frame, { keyFrame: true });
        frame.close();
      }
      await encoder.flush();
      return encoded.map(btoa);
    },
    { colours, ...size },
  );
  return frames.map((frame) => Buffer.from(frame, 'base64'));
}

/** Returns the colour that a player shows, as a number from 0 to `colours`. */
export function colourShown(page: Page, selector: string): Promise<number> {
  return page.evaluate(
    ({ colours, selector }) => {
      const canvas = new OffscreenCanvas(1, 1);
      const context = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D;
      const video = document.querySelector(selector) as HTMLVideoElement;
      context.drawImage(video, 0, 0, 1, 1);
      const [r, g, b] = context.getImageData(0, 0, 1, 1).data as unknown as [
        number,
        number,
        number,
      ];
      const hue = (Math.atan2(Math.sqrt(3) * (g - b), 2 * r - g - b) / Math.PI) * 180;
      return (Math.round((hue / 360) * colours) + colours) % colours;
    },
    { colours, selector },
  );
}

/** An element of EBML (RFC 8794): its id in hex, and its content. */
function element(id: string, ...content: readonly Uint8Array[]): Buffer {
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE(BigInt(content.reduce((sum, { length }) => sum + length, 0)));
  // Marks a length of 8 bytes.
  length[0] = 1;
  return Buffer.concat([Buffer.from(id, 'hex'), length, ...content]);
}

function unsigned(id: string, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return element(id, bytes);
}

const text = (id: string, value: string) => element(id, Buffer.from(value));

const head = element(
  '1a45dfa3',
  unsigned('42f2', 4),
  unsigned('42f3', 8),
  text('4282', 'webm'),
  unsigned('4287', 2),
  unsigned('4285', 2),
);

/** Describes the film: milliseconds as units of time, its duration, one track. */
function description(seconds: number): Buffer {
  const duration = Buffer.alloc(8);
  duration.writeDoubleBE(seconds * 1000);
  const info = element(
    '1549a966',
    unsigned('2ad7b1', 1_000_000),
    element('4489', duration),
    text('4d80', 'test'),
    text('5741', 'test'),
  );
  const video = element('e0', unsigned('b0', size.width), unsigned('ba', size.height));
  const track = [unsigned('d7', 1), unsigned('73c5', 1), unsigned('83', 1), text('86', 'V_VP8')];
  return Buffer.concat([info, element('1654ae6b', element('ae', ...track, video))]);
}

/** Lists where each second begins, so that a player can seek. */
function index(starts: readonly number[]): Buffer {
  const points = starts.map((start, second) =>
    element(
      'bb',
      unsigned('b3', second * 1000),
      element('b7', unsigned('f7', 1), unsigned('f1', start)),
    ),
  );
  return element('1c53bb6b', ...points);
}

/** One second of the film. */
function cluster(frame: Buffer, second: number): Buffer {
  const blocks = Array.from({ length: frameRate }, (_, number) => {
    const milliseconds = (number * 1000) / frameRate;
    // Track 1, time, key frame.
    const header = Buffer.from([0x81, milliseconds >> 8, milliseconds & 255, 0x80]);
    return element('a3', header, frame);
  });
  return element('1f43b675', unsigned('e7', second * 1000), ...blocks);
}

/**
 * Writes a film.
 *
 * @param secondBytes - bytes of each second: a film is as large as a test needs. @default the smallest
 */
export async function writeFilm(
  path: string,
  frames: readonly Buffer[],
  { seconds, secondBytes = 0 }: { seconds: number; secondBytes?: number },
): Promise<void> {
  const noise = randomBytes(secondBytes + mebibyte);
  const clusters = frames.map(
    (frame, second) => cluster(frame, second).length + element('ec').length,
  );
  const lengthOf = (second: number) => Math.max(secondBytes, clusters[second % colours] ?? 0);
  const parts = Array.from({ length: seconds }, (_, second) => lengthOf(second));
  const beginning = description(seconds).length + index(parts).length;
  let position = beginning;
  const starts = parts.map((length) => {
    position += length;
    return position - length;
  });
  const segment = element('18538067');
  segment.writeBigUInt64BE(BigInt(position), 4);
  segment[4] = 1;
  const file = await open(path, 'w');
  try {
    await file.write(Buffer.concat([head, segment, description(seconds), index(starts)]));
    for (const [second, length] of parts.entries()) {
      const content = cluster(frames[second % colours] as Buffer, second);
      const padding = length - content.length - element('ec').length;
      const start = (second * 4099) % mebibyte;
      const filler = element('ec', noise.subarray(start, start + padding));
      await file.write(Buffer.concat([content, filler]));
    }
  } finally {
    await file.close();
  }
}

/** Returns a sound of a tone: 16 bits, one channel, 8000 samples a second. */
export function tone(seconds: number): Buffer {
  const samples = 8000 * seconds;
  const file = Buffer.alloc(44 + 2 * samples);
  file.write('RIFF');
  file.writeUInt32LE(file.length - 8, 4);
  file.write('WAVEfmt ', 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(8000, 24);
  file.writeUInt32LE(16_000, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36);
  file.writeUInt32LE(2 * samples, 40);
  for (let n = 0; n < samples; n++) {
    file.writeInt16LE(Math.round(8000 * Math.sin((n * 440 * 2 * Math.PI) / 8000)), 44 + 2 * n);
  }
  return file;
}
