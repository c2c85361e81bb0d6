import type { Scope } from '@document-vault/sdk';
import { scopes as allScopes } from '../generated/choices.ts';
import { common } from '../messages/common.ts';
import { isAdministrator } from '../service/client.ts';
import { Button } from './button.tsx';
import { Choices } from './choices.tsx';
import type { Problem } from './form.tsx';
import { Badge } from './states.tsx';

/**
 * The scopes that the user can choose: those to grant, and those that a client already has. Its owner can keep or remove
 * one that only an administrator can grant.
 */
export function offeredScopes(present: readonly Scope[] = []): readonly Scope[] {
  return allScopes.filter(
    (scope) => scope !== 'admin:*' || isAdministrator.value || present.includes(scope),
  );
}

/** The problem of a form without a scope. */
export function requireScope(chosen: ReadonlySet<Scope>): Record<string, Problem> {
  return chosen.size === 0 ? { scopes: () => common.value.noScopes } : {};
}

interface ScopeChoiceProps {
  readonly scopes: readonly Scope[];
  readonly chosen: ReadonlySet<Scope>;
  readonly onChange: (chosen: ReadonlySet<Scope>) => void;
}

/** What a key or an app may do. */
export function ScopeChoice({ scopes, chosen, onChange }: ScopeChoiceProps) {
  const t = common.value;
  const choose = (wanted: (scope: Scope) => boolean) => onChange(new Set(scopes.filter(wanted)));
  return (
    <Choices
      name="scopes"
      label={t.scopes}
      groups={[{ values: scopes }]}
      chosen={chosen}
      onChange={onChange}
    >
      <span class="row">
        <Button onClick={() => choose((scope) => scope.endsWith(':read'))}>{t.readOnly}</Button>
        <Button onClick={() => choose((scope) => scope !== 'admin:*' || chosen.has(scope))}>
          {t.everything}
        </Button>
      </span>
    </Choices>
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
