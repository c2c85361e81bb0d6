import { accessReads, underLiveAccess } from '../oauth/grants.ts';

/** Whether the webhook `w` receives deliveries now. Otherwise its queue is kept. */
export const deliverable = `w.active = 1
  AND EXISTS (SELECT 1 FROM users u WHERE u.id = w.user_id AND u.status = 'active')
  AND ${underLiveAccess('w', "'webhooks:write'")}`;

/** The scope that reads the resource of the delivery `d`, as `readScopeOf` returns it. */
export const readScope = `CASE WHEN d.event_type LIKE 'document.share%' THEN 'documents:share'
  WHEN d.event_type LIKE 'document.%' THEN 'documents:read' WHEN d.event_type LIKE 'vault.%' THEN 'vaults:read'
  WHEN d.event_type LIKE 'consent.%' THEN 'consents:read' WHEN d.event_type LIKE 'user.%' THEN 'users:read'
  ELSE 'instances:read' END`;

/**
 * Whether the webhook `w` may receive the delivery `d` now. Rights end while deliveries wait, so each attempt
 * checks this again.
 */
export const mayReceive = `(d.of_other = 0 OR w.accounts = 'all' AND w.access_id IS NULL
    AND EXISTS (SELECT 1 FROM users u WHERE u.id = w.user_id AND u.role = 'admin'))
  AND (d.test = 1 OR ${accessReads('w', `(${readScope})`)})`;

/**
 * Whether the webhook `w` may not receive the delivery `d` any more, although its access is in force. The queue of an
 * app whose access has ended stays for its user.
 */
export const refused = `(${underLiveAccess('w', "'webhooks:write'")} AND NOT (${mayReceive}))`;
