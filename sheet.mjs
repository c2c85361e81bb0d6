import { launchChromium } from '/tmp/w/i18/test/chromium.ts';
import { writeFile } from 'node:fs/promises';
const dir='/tmp/w/i18/packages/server/pictures/';
const a='sign-in sign-in-wrong consent consent-one consent-native consent-device'.split(' ');
const b='device device-wrong device-confirm device-done error-expired error-forged error-full error-invalid_redirect_uri error-server_error'.split(' ');
const browser=await launchChromium();
const page=await (await browser.newContext({viewport:{width:1950,height:800}})).newPage();
for (const l of ['en','de']) for (const t of ['light','dark']) {
 for (const w of [320,1280]) for (const [k,names] of [['a',a],['b',b]]) {
  const img=(n)=> w===320 ? `<img src="file://${dir}${n}-${l}-320-${t}.png" style="width:320px;border:1px solid red">` : `<div style="width:480px;overflow:hidden;border:1px solid red"><img src="file://${dir}${n}-${l}-1280-${t}.png" style="margin-left:-400px"></div>`;
  await writeFile('/tmp/w/look/s.html',`<body style="margin:0;display:flex;flex-wrap:wrap;gap:4px;align-items:flex-start;background:#888">${names.map(img).join('')}`);
  await page.goto('file:///tmp/w/look/s.html'); await page.screenshot({path:`/tmp/w/look/oauth/${k}-${l}-${w}-${t}.png`,fullPage:true});
 }
 await writeFile('/tmp/w/look/s.html',`<body style="margin:0;display:flex;gap:4px;align-items:flex-start;background:#888"><img src="file://${dir}consent-everything-${l}-320-${t}.png"><img src="file://${dir}consent-everything-${l}-1280-${t}.png">`);
 await page.goto('file:///tmp/w/look/s.html'); await page.screenshot({path:`/tmp/w/look/oauth/c-${l}-${t}.png`,fullPage:true});
}
await browser.close();
