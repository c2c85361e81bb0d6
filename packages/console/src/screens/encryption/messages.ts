import { counted, formatNumber } from '../../messages/format.ts';
import { catalogue } from '../../messages/language.ts';

export const encryptionTexts = catalogue({
  title: ['Encryption', 'Verschlüsselung'],
  description: [
    'The passphrase that encrypts your documents.',
    'Die Passphrase, die Ihre Dokumente verschlüsselt.',
  ],
  present: ['Current passphrase', 'Jetzige Passphrase'],
  presentHint: [
    'After an interrupted change: the passphrase before it.',
    'Nach einem unterbrochenen Wechsel: die Passphrase davor.',
  ],
  wrong: [
    'Neither of the two passphrases opens your newest document. Check for a typo.',
    'Keine der zwei Passphrasen öffnet Ihr neuestes Dokument. Prüfen Sie die Eingabe.',
  ],
  next: ['Continue', 'Weiter'],
  changeLead: [
    'Each document has a key of its own. This browser wraps every one of them under the new passphrase; contents, names and links stay.',
    'Jedes Dokument hat einen eigenen Schlüssel. Dieser Browser verpackt jeden davon mit der neuen Passphrase; Inhalte, Namen und Links bleiben.',
  ],
  newTitle: ['New passphrase', 'Neue Passphrase'],
  newLead: [
    'The passphrase you entered does not open your newest document. If a change was interrupted, enter the new passphrase that you had chosen. Otherwise go back and check for a typo.',
    'Die eingegebene Passphrase öffnet Ihr neuestes Dokument nicht. Wurde ein Wechsel unterbrochen, geben Sie die neue Passphrase ein, die Sie gewählt hatten. Gehen Sie sonst zurück, und prüfen Sie die Eingabe.',
  ],
  back: ['Back', 'Zurück'],
  begin: ['Change the passphrase', 'Passphrase ändern'],
  none: [
    'You have no documents yet. You choose the passphrase with the first one.',
    'Sie haben noch keine Dokumente. Die Passphrase wählen Sie mit dem ersten.',
  ],
  working: ['The keys are wrapped anew', 'Die Schlüssel werden neu verpackt'],
  progress: [
    (done: number, total: number) =>
      `${formatNumber(done)} of ${total === 0 ? '…' : counted(total, 'document', 'documents')}`,
    (done, total) =>
      `${formatNumber(done)} von ${total === 0 ? '…' : counted(total, 'Dokument', 'Dokumenten')}`,
  ],
  workingHint: [
    'Leave this page open. The rate limit can make it wait. After an interruption, begin the change again with the same two passphrases: it goes on where it stopped.',
    'Lassen Sie diese Seite offen. Das Anfragelimit kann sie warten lassen. Beginnen Sie den Wechsel nach einer Unterbrechung mit denselben zwei Passphrasen erneut: Er geht dort weiter, wo er stand.',
  ],
  stop: ['Stop', 'Anhalten'],
  stopped: [
    (done: number) =>
      `Stopped: ${counted(done, 'document has', 'documents have')} the new passphrase, the others the old one. Begin again with the same two passphrases.`,
    (done) =>
      `Angehalten: ${counted(done, 'Dokument hat', 'Dokumente haben')} die neue Passphrase, die anderen die alte. Beginnen Sie mit denselben zwei Passphrasen erneut.`,
  ],
  doneTitle: ['The passphrase is changed', 'Die Passphrase ist geändert'],
  done: [
    (count: number) =>
      `${counted(count, 'document has', 'documents have')} the new passphrase. Other tabs and devices ask for it when they are unlocked.`,
    (count) =>
      `${counted(count, 'Dokument hat', 'Dokumente haben')} die neue Passphrase. Andere Tabs und Geräte fragen beim Entsperren danach.`,
  ],
  others: [
    (count: number) =>
      counted(
        count,
        'document fits neither passphrase. It was encrypted with another one, which still opens it.',
        'documents fit neither passphrase. They were encrypted with another one, which still opens them.',
      ),
    (count) =>
      counted(
        count,
        'Dokument passt zu keiner der Passphrasen. Es ist mit einer anderen verschlüsselt, die es weiterhin öffnet.',
        'Dokumente passen zu keiner der Passphrasen. Sie sind mit einer anderen verschlüsselt, die sie weiterhin öffnet.',
      ),
  ],
});
