import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Random } from '../crash/random.ts';
import type { Entry } from './recording.ts';

// A disk that keeps what was synchronised and may lose anything else. It promises no more than POSIX does:
// synchronising a file does not synchronise its name, and the names of a folder have no order among them.

/** Writes are torn between sectors of one of these sizes, in bytes. */
const sectorSizes = [512, 4096];

/** A write whose data has arrived, or a truncation. */
interface Change {
  readonly offset: number;
  /** Undefined: the file is cut, or grown with zeros, to `offset` bytes. */
  readonly data?: Buffer;
}

/** What a power loss leaves of the changes that were not synchronised. */
export interface Survival {
  /** Whether a file keeps a write or a truncation. */
  keepsChange(): boolean;
  /** Whether a folder keeps a change of its names. */
  keepsNames(): boolean;
  /** The sectors in which a write that is kept in part is kept; undefined: all of it is. */
  tears(): { readonly sector: number } | undefined;
}

export const everything: Survival = {
  keepsChange: () => true,
  keepsNames: () => true,
  tears: () => undefined,
};

/** A choice of what survives: nothing, everything, or a random part. */
export function chooseSurvival(random: Random): Survival {
  const kept = random.pick([0, 0.1, 0.5, 0.5, 0.5, 0.9, 1]);
  const torn = random.pick([0, 0.3, 0.8]);
  return {
    keepsChange: () => random.happens(kept),
    keepsNames: () => random.happens(kept),
    tears: () => (random.happens(torn) ? { sector: random.pick(sectorSizes) } : undefined),
  };
}

/** A file that grows at its end without being copied each time. */
class Content {
  #bytes = Buffer.alloc(0);
  #length = 0;

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  copy(): Content {
    const copy = new Content();
    copy.apply({ offset: 0, data: this.bytes });
    return copy;
  }

  apply({ offset, data }: Change): void {
    if (data === undefined) this.#resize(offset);
    else {
      if (offset + data.length > this.#length) this.#resize(offset + data.length);
      data.copy(this.#bytes, offset);
    }
  }

  #resize(length: number): void {
    if (length > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(length, this.#bytes.length * 2));
      this.bytes.copy(larger);
      this.#bytes = larger;
    }
    if (length < this.#length) this.#bytes.fill(0, length, this.#length);
    this.#length = length;
  }
}

class File {
  readonly #durable = new Content();
  #pending: Change[] = [];

  change(change: Change): void {
    this.#pending.push(change);
  }

  synchronise(): void {
    for (const change of this.#pending) this.#durable.apply(change);
    this.#pending = [];
  }

  survivor({ keepsChange, tears }: Survival, random: Random): Buffer {
    const content = this.#durable.copy();
    for (const change of this.#pending) {
      if (!keepsChange()) continue;
      const torn = change.data && tears();
      if (!torn) content.apply(change);
      else for (const part of sectorsOf(change, torn.sector, random)) content.apply(part);
    }
    return content.bytes;
  }
}

/** Half of the sectors that a write reaches. */
function sectorsOf({ offset, data }: Change, sector: number, random: Random): Change[] {
  const parts: Change[] = [];
  const length = data?.length ?? 0;
  for (let start = 0; start < length; ) {
    const end = Math.min(length, (Math.floor((offset + start) / sector) + 1) * sector - offset);
    if (random.happens(0.5)) {
      parts.push({ offset: offset + start, data: data?.subarray(start, end) ?? Buffer.alloc(0) });
    }
    start = end;
  }
  return parts;
}

type Node = File | Folder;

/** Names that come, change and go together. */
type Names = readonly (readonly [name: string, node: Node | undefined])[];

class Folder {
  /** The names as the running processes see them. */
  readonly current = new Map<string, Node>();
  readonly #durable = new Map<string, Node>();
  #pending: Names[] = [];

  /** How many changes a power loss could undo. */
  get unsaved(): number {
    return this.#pending.length;
  }

  change(names: Names): void {
    assign(this.current, names);
    this.#pending.push(names);
  }

  synchronise(): void {
    for (const names of this.#pending) assign(this.#durable, names);
    this.#pending = [];
  }

  survivor({ keepsNames }: Survival): Map<string, Node> {
    const kept = new Map(this.#durable);
    for (const names of this.#pending) if (keepsNames()) assign(kept, names);
    return kept;
  }
}

function assign(names: Map<string, Node>, changes: Names): void {
  for (const [name, node] of changes) {
    if (node) names.set(name, node);
    else names.delete(name);
  }
}

export interface DiskOptions {
  /** The folder that was recorded, and is there from the beginning. */
  readonly root: string;
  /**
   * How many entries a synchronisation waits before it happens, although it is confirmed at once: 0 for
   * an honest disk, more for one with a volatile cache that lies.
   */
  readonly delay: number;
}

/** The disk below the recorded processes. */
export class Disk {
  readonly #root: string;
  readonly #delay: number;
  readonly #tree = new Folder();
  readonly #files = new Map<number, File>();
  readonly #waiting: { readonly due: number; readonly synchronise: () => void }[] = [];
  #count = 0;

  constructor({ root, delay }: DiskOptions) {
    this.#root = root;
    this.#delay = delay;
  }

  apply(entry: Entry): void {
    const { kind, inode, offset, data } = entry;
    this.#count += 1;
    while ((this.#waiting[0]?.due ?? Infinity) <= this.#count) this.#waiting.shift()?.synchronise();
    if (kind === 'write') this.#file(inode).change({ offset, data });
    else if (kind === 'truncate') this.#file(inode).change({ offset });
    else if (kind === 'sync') this.#synchronise(this.#file(inode));
    else this.#applyToFolder(entry);
  }

  /** How many changes of names no folder has saved yet. */
  get unsavedNames(): number {
    return unsavedNamesIn(this.#tree);
  }

  /** Writes what a power loss at this moment leaves into `target`. */
  async writeImage(target: string, survival: Survival, random: Random): Promise<void> {
    await writeFolder(this.#tree, target, survival, random);
  }

  #applyToFolder(entry: Entry): void {
    const [path = '', other = ''] = entry.data.toString('utf8').split('\0');
    const folder = this.#folder(entry.kind === 'sync-folder' ? path : dirname(path));
    if (entry.kind === 'sync-folder') this.#synchronise(folder);
    else folder.change(this.#namesAfter(entry, folder.current.get(basename(path)), [path, other]));
  }

  #namesAfter(
    { kind, inode }: Entry,
    node: Node | undefined,
    [path, other]: readonly [string, string],
  ): Names {
    const name = basename(path);
    switch (kind) {
      case 'create':
        return [[name, this.#newFile(inode)]];
      case 'mkdir':
        return [[name, new Folder()]];
      case 'unlink':
        return [[name, undefined]];
      default:
        break;
    }
    if (dirname(path) !== dirname(other)) throw new Error(`a ${kind} of ${path} to ${other}`);
    return [...(kind === 'link' ? [] : ([[name, undefined]] as const)), [basename(other), node]];
  }

  #newFile(inode: number): File {
    const file = new File();
    this.#files.set(inode, file);
    return file;
  }

  #synchronise(node: Node): void {
    const due = this.#count + this.#delay;
    if (this.#delay === 0) node.synchronise();
    else this.#waiting.push({ due, synchronise: () => node.synchronise() });
  }

  #file(inode: number): File {
    const file = this.#files.get(inode);
    if (!file) throw new Error(`the record has no creation of file ${inode}`);
    return file;
  }

  #folder(path: string): Folder {
    let folder: Node | undefined = this.#tree;
    for (const name of path.slice(this.#root.length).split('/').filter(Boolean)) {
      folder = folder instanceof Folder ? folder.current.get(name) : undefined;
    }
    if (!(folder instanceof Folder)) throw new Error(`the record has no creation of ${path}`);
    return folder;
  }
}

function unsavedNamesIn(folder: Folder): number {
  let count = folder.unsaved;
  for (const node of folder.current.values()) {
    if (node instanceof Folder) count += unsavedNamesIn(node);
  }
  return count;
}

async function writeFolder(folder: Folder, target: string, survival: Survival, random: Random) {
  await mkdir(target, { recursive: true, mode: 0o700 });
  for (const [name, node] of folder.survivor(survival)) {
    const path = join(target, name);
    if (node instanceof Folder) await writeFolder(node, path, survival, random);
    else await writeFile(path, contentOf(name, node, survival, random), { mode: 0o600 });
  }
}

/** SQLite never synchronises the shared memory beside the log, so its file may hold any bytes. */
function contentOf(name: string, file: File, survival: Survival, random: Random): Buffer {
  if (name.endsWith('-shm')) return randomBytes(random.pick([0, 3, 32 * 1024]));
  return file.survivor(survival, random);
}
