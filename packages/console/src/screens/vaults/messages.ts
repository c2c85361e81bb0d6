import { counted } from '../../messages/format.ts';
import { catalogue } from '../../messages/language.ts';

export const vaultTexts = catalogue(
  {
    title: 'Vaults',
    description: 'A vault holds documents that belong together.',
    create: 'New vault',
    createAction: 'Create the vault',
    created: (name: string) => `“${name}” is created.`,
    changeTitle: (name: string) => `Change “${name}”`,
    archive: 'Archive',
    archived: (name: string) => `“${name}” is archived. It takes no new documents.`,
    restore: 'Restore',
    restored: (name: string) => `“${name}” takes documents again.`,
    deleteText: (count: number) =>
      count === 0
        ? 'The vault is empty. This cannot be undone.'
        : `${counted(count, 'document', 'documents')} and their share links are deleted too. This cannot be undone.`,
    category: 'Category',
    categoryHint: 'Lower-case letters, digits, _ and -. You can filter by it.',
    documents: 'Documents',
    active: 'Active',
    inactive: 'Archived',
    emptyTitle: 'No vaults yet',
    empty: 'Create a vault, then add documents to it. They are encrypted in this browser.',
  },
  {
    title: 'Tresore',
    description: 'Ein Tresor enthält Dokumente, die zusammengehören.',
    create: 'Neuer Tresor',
    createAction: 'Tresor anlegen',
    created: (name) => `„${name}“ ist angelegt.`,
    changeTitle: (name) => `„${name}“ ändern`,
    archive: 'Archivieren',
    archived: (name) => `„${name}“ ist archiviert und nimmt keine neuen Dokumente an.`,
    restore: 'Wiederherstellen',
    restored: (name) => `„${name}“ nimmt wieder Dokumente an.`,
    deleteText: (count) =>
      count === 0
        ? 'Der Tresor ist leer. Das lässt sich nicht rückgängig machen.'
        : `${counted(count, 'Dokument', 'Dokumente')} samt Freigabe-Links werden mit gelöscht. Das lässt sich nicht rückgängig machen.`,
    category: 'Kategorie',
    categoryHint: 'Kleinbuchstaben, Ziffern, _ und -. Danach lässt sich filtern.',
    documents: 'Dokumente',
    active: 'Aktiv',
    inactive: 'Archiviert',
    emptyTitle: 'Noch keine Tresore',
    empty:
      'Legen Sie einen Tresor an, und fügen Sie Dokumente hinzu. Sie werden in diesem Browser verschlüsselt.',
  },
);
