import { catalogue } from '../../messages/language.ts';

export const documentTexts = catalogue(
  {
    archived: 'This vault is archived: it takes no new documents.',
    type: 'Type',
    changedAt: 'Changed',
    decrypting: 'Decrypting the name',
    otherKey: 'Encrypted with another passphrase',
    needsPassphrase: 'Needs the passphrase',
    passphraseAgain:
      'The key that this browser has kept does not open every document: another program has encrypted some.',
    enterPassphrase: 'Enter the passphrase',
    damagedName: 'The name is damaged',
    reading: (read: string, total: string) => `Reading names: ${read} of ${total}`,
    readingHint:
      'The service cannot search encrypted names. This browser reads them and searches itself.',
    readingFailed: 'The names could not be read completely.',
    emptyTitle: 'No documents yet',
    empty:
      'Drop files here, paste them, or choose them. This browser encrypts them before they leave it.',
    nothingArchived: 'Restore the vault to add documents to it.',
    upload: 'Upload',
    uploadMenu: 'Upload documents',
    chooseFiles: 'Choose files',
    chooseFolder: 'Choose a folder',
    encryptNames: 'Names: encrypted',
    plainNames: 'Names: readable by the service',
    drop: 'Drop the files to encrypt and upload them',
    open: 'Open',
    download: 'Download',
    share: 'Share',
    rename: 'Rename',
    move: 'Move to another vault',
    renameTitle: (name: string) => `Rename “${name}”`,
    renameHint: 'The new name is stored encrypted. At most 160 bytes; an umlaut has two.',
    renamed: (name: string) => `The document is now called “${name}”.`,
    badName:
      'This name cannot be used: it is longer than 160 bytes, or contains a slash, control or direction characters. Rename the file.',
    moveTitle: (count: number, name: string) =>
      count === 1 ? `Move “${name}”` : `Move ${count} documents`,
    target: 'Vault',
    noTarget: 'There is no other active vault. Create one first.',
    moveAction: 'Move',
    moved: (count: number) =>
      count === 1 ? 'The document is moved.' : `${count} documents are moved.`,
    deleteTitle: (count: number, name: string) =>
      count === 1 ? `Delete “${name}”?` : `Delete ${count} documents?`,
    deleteText: (count: number) =>
      count === 1
        ? 'Its share links stop working. This cannot be undone.'
        : 'Their share links stop working. This cannot be undone.',
    deleted: (count: number) =>
      count === 1 ? 'The document is deleted.' : `${count} documents are deleted.`,
  },
  {
    archived: 'Dieser Tresor ist archiviert und nimmt keine neuen Dokumente an.',
    type: 'Typ',
    changedAt: 'Geändert',
    decrypting: 'Der Name wird entschlüsselt',
    otherKey: 'Mit einer anderen Passphrase verschlüsselt',
    needsPassphrase: 'Braucht die Passphrase',
    passphraseAgain:
      'Der Schlüssel in diesem Browser öffnet nicht jedes Dokument: Manche hat ein anderes Programm verschlüsselt.',
    enterPassphrase: 'Passphrase eingeben',
    damagedName: 'Der Name ist beschädigt',
    reading: (read, total) => `Namen werden gelesen: ${read} von ${total}`,
    readingHint:
      'Der Dienst kann verschlüsselte Namen nicht durchsuchen. Dieser Browser liest sie und sucht selbst.',
    readingFailed: 'Die Namen konnten nicht vollständig gelesen werden.',
    emptyTitle: 'Noch keine Dokumente',
    empty:
      'Ziehen Sie Dateien hierher, fügen Sie sie ein, oder wählen Sie sie aus. Dieser Browser verschlüsselt sie, bevor sie ihn verlassen.',
    nothingArchived: 'Stellen Sie den Tresor wieder her, um Dokumente hinzuzufügen.',
    upload: 'Hochladen',
    uploadMenu: 'Dokumente hochladen',
    chooseFiles: 'Dateien auswählen',
    chooseFolder: 'Ordner auswählen',
    encryptNames: 'Namen: verschlüsselt',
    plainNames: 'Namen: für den Dienst lesbar',
    drop: 'Loslassen, um die Dateien zu verschlüsseln und hochzuladen',
    open: 'Öffnen',
    download: 'Herunterladen',
    share: 'Freigeben',
    rename: 'Umbenennen',
    move: 'In anderen Tresor verschieben',
    renameTitle: (name) => `„${name}“ umbenennen`,
    renameHint:
      'Der neue Name wird verschlüsselt gespeichert. Höchstens 160 Byte; ein Umlaut hat zwei.',
    renamed: (name) => `Das Dokument heißt jetzt „${name}“.`,
    badName:
      'Dieser Name ist nicht möglich: Er ist länger als 160 Byte oder enthält Schrägstriche, Steuer- oder Richtungszeichen. Benennen Sie die Datei um.',
    moveTitle: (count, name) =>
      count === 1 ? `„${name}“ verschieben` : `${count} Dokumente verschieben`,
    target: 'Tresor',
    noTarget: 'Es gibt keinen anderen aktiven Tresor. Legen Sie zuerst einen an.',
    moveAction: 'Verschieben',
    moved: (count) =>
      count === 1 ? 'Das Dokument ist verschoben.' : `${count} Dokumente sind verschoben.`,
    deleteTitle: (count, name) =>
      count === 1 ? `„${name}“ löschen?` : `${count} Dokumente löschen?`,
    deleteText: (count) =>
      count === 1
        ? 'Seine Freigabe-Links funktionieren dann nicht mehr. Das lässt sich nicht rückgängig machen.'
        : 'Ihre Freigabe-Links funktionieren dann nicht mehr. Das lässt sich nicht rückgängig machen.',
    deleted: (count) =>
      count === 1 ? 'Das Dokument ist gelöscht.' : `${count} Dokumente sind gelöscht.`,
  },
);
