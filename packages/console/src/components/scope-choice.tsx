import type { Scope } from '@document-vault/sdk';
import { common } from '../messages/common.ts';
import { Button } from './button.tsx';
import type { Form } from './form.tsx';
import { Badge } from './states.tsx';

interface ScopeChoiceProps {
  readonly form: Form;
  readonly scopes: readonly Scope[];
  readonly chosen: ReadonlySet<Scope>;
  readonly onChange: (chosen: ReadonlySet<Scope>) => void;
}

/** What a key or an app may do. */
export function ScopeChoice({ form, scopes, chosen, onChange }: ScopeChoiceProps) {
  const t = common.value;
  const problem = form.problems.get('scopes');
  const choose = (wanted: (scope: Scope) => boolean) => onChange(new Set(scopes.filter(wanted)));
  return (
    <fieldset class="checks" aria-describedby={problem && 'scopes-problem'}>
      <legend class="legend">{t.scopes}</legend>
      <span class="row">
        <Button onClick={() => choose((scope) => scope.endsWith(':read'))}>{t.readOnly}</Button>
        <Button onClick={() => choose((scope) => scope !== 'admin:*' || chosen.has(scope))}>
          {t.everything}
        </Button>
      </span>
      {problem && (
        <p class="problem" id="scopes-problem">
          {problem}
        </p>
      )}
      <div class="check-grid flush">
        {scopes.map((scope) => (
          <label key={scope} class="checkbox">
            <input
              type="checkbox"
              name="scopes"
              value={scope}
              aria-invalid={problem ? true : undefined}
              checked={chosen.has(scope)}
              onChange={() => onChange(chosen.symmetricDifference(new Set([scope])))}
            />
            <span class="mono">{scope}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** Scopes in a table: the first ones, and the number of the others with their names as a tooltip. */
export function Scopes({ scopes }: { readonly scopes: readonly string[] }) {
  const shown = scopes.slice(0, 2);
  const others = scopes.slice(2);
  return (
    <span class="list-inline" title={scopes.join(', ')}>
      {shown.map((scope) => (
        <Badge key={scope}>{scope}</Badge>
      ))}
      {others.length > 0 && <Badge kind="accent">+{others.length}</Badge>}
    </span>
  );
}
