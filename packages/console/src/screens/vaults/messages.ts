import { counted } from '../../messages/format.ts';
import { catalogue } from '../../messages/language.ts';

export const vaultTexts = catalogue({
  title: ['Vaults', 'Tresore'],
  description: [
    'A vault holds documents that belong together.',
    'Ein Tresor enthält Dokumente, die zusammengehören.',
  ],
  create: ['New vault', 'Neuer Tresor'],
  createAction: ['Create the vault', 'Tresor anlegen'],
  created: [(name: string) => `“${name}” is created.`, (name) => `„${name}“ ist angelegt.`],
  changeTitle: [(name: string) => `Change “${name}”`, (name) => `„${name}“ ändern`],
  archive: ['Archive', 'Archivieren'],
  archived: [
    (name: string) => `“${name}” is archived. It takes no new documents.`,
    (name) => `„${name}“ ist archiviert und nimmt keine neuen Dokumente an.`,
  ],
  restore: ['Restore', 'Wiederherstellen'],
  restored: [
    (name: string) => `“${name}” takes documents again.`,
    (name) => `„${name}“ nimmt wieder Dokumente an.`,
  ],
  deleteText: [
    (count: number) =>
      count === 0
        ? 'The vault is empty. This cannot be undone.'
        : `${counted(count, 'document', 'documents')} and their share links are deleted too. This cannot be undone.`,
    (count) =>
      count === 0
        ? 'Der Tresor ist leer. Das lässt sich nicht rückgängig machen.'
        : `${counted(count, 'Dokument', 'Dokumente')} samt Freigabe-Links werden mit gelöscht. Das lässt sich nicht rückgängig machen.`,
  ],
  category: ['Category', 'Kategorie'],
  categoryHint: [
    'Lower-case letters, digits, _ and -. You can filter by it.',
    'Kleinbuchstaben, Ziffern, _ und -. Danach lässt sich filtern.',
  ],
  documents: ['Documents', 'Dokumente'],
  active: ['Active', 'Aktiv'],
  inactive: ['Archived', 'Archiviert'],
  emptyTitle: ['No vaults yet', 'Noch keine Tresore'],
  empty: [
    'Create a vault, then add documents to it. They are encrypted in this browser.',
    'Legen Sie einen Tresor an, und fügen Sie Dokumente hinzu. Sie werden in diesem Browser verschlüsselt.',
  ],
});
