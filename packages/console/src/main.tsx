import { render } from 'preact';

// Old share links lead to the root, which sends browsers here.
if (/^#v\d+\./.test(location.hash)) location.replace(`../share/${location.hash}`);

const root = document.getElementById('console');
if (root) render(<h1>Document Vault</h1>, root);
