import { catalogue } from '../../messages/language.ts';

export const documentTexts = catalogue({
  archived: [
    'This vault is archived: it takes no new documents.',
    'Dieser Tresor ist archiviert und nimmt keine neuen Dokumente an.',
  ],
  type: ['Type', 'Typ'],
  changedAt: ['Changed', 'Geändert'],
  decrypting: ['Decrypting the name', 'Der Name wird entschlüsselt'],
  otherKey: ['Encrypted with another key', 'Mit einem anderen Schlüssel verschlüsselt'],
  lockedName: ['Locked document', 'Gesperrtes Dokument'],
  damagedName: ['The name is damaged', 'Der Name ist beschädigt'],
  reading: [
    (read: string, total: string) => `Reading names: ${read} of ${total}`,
    (read, total) => `Namen werden gelesen: ${read} von ${total}`,
  ],
  readingHint: [
    'The service cannot search encrypted names. This browser reads them and searches itself.',
    'Der Dienst kann verschlüsselte Namen nicht durchsuchen. Dieser Browser liest sie und sucht selbst.',
  ],
  readingFailed: [
    'The names could not be read completely.',
    'Die Namen konnten nicht vollständig gelesen werden.',
  ],
  emptyTitle: ['No documents yet', 'Noch keine Dokumente'],
  empty: [
    'Drop files here, paste them, or choose them. This browser encrypts them before they leave it.',
    'Ziehen Sie Dateien hierher, fügen Sie sie ein, oder wählen Sie sie aus. Dieser Browser verschlüsselt sie, bevor sie ihn verlassen.',
  ],
  nothingArchived: [
    'Restore the vault to add documents to it.',
    'Stellen Sie den Tresor wieder her, um Dokumente hinzuzufügen.',
  ],
  upload: ['Upload', 'Hochladen'],
  uploadMenu: ['Upload documents', 'Dokumente hochladen'],
  chooseFiles: ['Choose files', 'Dateien auswählen'],
  chooseFolder: ['Choose a folder', 'Ordner auswählen'],
  encryptNames: ['Names: encrypted', 'Namen: verschlüsselt'],
  plainNames: ['Names: readable by the service', 'Namen: für den Dienst lesbar'],
  drop: [
    'Drop the files to encrypt and upload them',
    'Loslassen, um die Dateien zu verschlüsseln und hochzuladen',
  ],
  open: ['Open', 'Öffnen'],
  download: ['Download', 'Herunterladen'],
  share: ['Share', 'Freigeben'],
  rename: ['Rename', 'Umbenennen'],
  move: ['Move to another vault', 'In anderen Tresor verschieben'],
  renameTitle: [(name: string) => `Rename “${name}”`, (name) => `„${name}“ umbenennen`],
  renameHint: [
    'The new name is stored encrypted. At most 160 bytes; an umlaut counts as two.',
    'Der neue Name wird verschlüsselt gespeichert. Höchstens 160 Byte; ein Umlaut zählt als zwei.',
  ],
  // Without the name: the message outlives a lock.
  renamed: ['The document is renamed.', 'Das Dokument ist umbenannt.'],
  badName: [
    'This name cannot be used: it is longer than 160 bytes, or contains a slash, control or direction characters. Use another name.',
    'Dieser Name ist nicht möglich: Er ist länger als 160 Byte oder enthält Schrägstriche, Steuer- oder Richtungszeichen. Verwenden Sie einen anderen Namen.',
  ],
  moveTitle: [
    (count: number, name: string) => (count === 1 ? `Move “${name}”` : `Move ${count} documents`),
    (count, name) => (count === 1 ? `„${name}“ verschieben` : `${count} Dokumente verschieben`),
  ],
  target: ['Vault', 'Tresor'],
  noTarget: [
    'There is no other active vault. Create one first.',
    'Es gibt keinen anderen aktiven Tresor. Legen Sie zuerst einen an.',
  ],
  moveAction: ['Move', 'Verschieben'],
  moved: [
    (count: number) => (count === 1 ? 'The document is moved.' : `${count} documents are moved.`),
    (count) =>
      count === 1 ? 'Das Dokument ist verschoben.' : `${count} Dokumente sind verschoben.`,
  ],
  deleteTitle: [
    (count: number, name: string) =>
      count === 1 ? `Delete “${name}”?` : `Delete ${count} documents?`,
    (count, name) => (count === 1 ? `„${name}“ löschen?` : `${count} Dokumente löschen?`),
  ],
  deleteText: [
    (count: number) =>
      count === 1
        ? 'Its share links stop working. This cannot be undone.'
        : 'Their share links stop working. This cannot be undone.',
    (count) =>
      count === 1
        ? 'Seine Freigabe-Links funktionieren dann nicht mehr. Das lässt sich nicht rückgängig machen.'
        : 'Ihre Freigabe-Links funktionieren dann nicht mehr. Das lässt sich nicht rückgängig machen.',
  ],
  deleted: [
    (count: number) =>
      count === 1 ? 'The document is deleted.' : `${count} documents are deleted.`,
    (count) => (count === 1 ? 'Das Dokument ist gelöscht.' : `${count} Dokumente sind gelöscht.`),
  ],
});
