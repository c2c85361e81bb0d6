import { catalogue } from '../../messages/language.ts';

export const consentTexts = catalogue({
  title: ['Consents and apps', 'Einwilligungen und Apps'],
  description: [
    'Who may use your documents, and which apps have access to your account.',
    'Wer Ihre Dokumente nutzen darf und welche Apps Zugriff auf Ihr Konto haben.',
  ],
  create: ['New consent', 'Neue Einwilligung'],
  createAction: ['Record the consent', 'Einwilligung eintragen'],
  created: ['The consent is recorded.', 'Die Einwilligung ist eingetragen.'],
  purpose: ['Purpose', 'Zweck'],
  grantedTo: ['Granted to', 'Erteilt an'],
  ends: ['Ends', 'Endet'],
  endsHint: ['Empty: the consent has no end.', 'Leer: die Einwilligung hat kein Ende.'],
  app: ['App', 'App'],
  granted: ['Granted', 'Erteilt'],
  revoked: ['Revoked', 'Widerrufen'],
  expired: ['Expired', 'Abgelaufen'],
  since: ['Since', 'Seit'],
  noEnd: ['No end', 'Kein Ende'],
  revokeTitle: [
    (name: string) => `Revoke the consent for ${name}?`,
    (name) => `Einwilligung für ${name} widerrufen?`,
  ],
  revokeText: ['You can renew it later.', 'Sie können sie später erneuern.'],
  revokeAppText: [
    'The app loses its access at once, and has to ask you again.',
    'Die App verliert ihren Zugriff sofort und muss Sie erneut fragen.',
  ],
  reason: ['Reason', 'Grund'],
  isRevoked: ['The consent is revoked.', 'Die Einwilligung ist widerrufen.'],
  renew: ['Renew', 'Erneuern'],
  renewed: ['The consent is granted again.', 'Die Einwilligung ist wieder erteilt.'],
  emptyTitle: ['No consents yet', 'Noch keine Einwilligungen'],
  empty: [
    'Apps that you give access to appear here. You can also record consents yourself.',
    'Hier erscheinen Apps, denen Sie Zugriff geben. Sie können Einwilligungen auch selbst eintragen.',
  ],
});
