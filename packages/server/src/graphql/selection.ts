import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  getDirectiveValues,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Variables } from './variables.ts';

export interface SelectionScope {
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly variables: Variables;
}

/**
 * The fields that these selections ask of one object, by the names that they have in the answer, as
 * execution collects them: fragments opened, what is skipped left out. The schema has neither interfaces
 * nor unions, so that a fragment is always of the object's type.
 */
export function collectFields(
  selectionSets: readonly SelectionSetNode[],
  scope: SelectionScope,
): Map<string, FieldNode[]> {
  const fields = new Map<string, FieldNode[]>();
  const opened = new Set<string>();

  function collect({ selections }: SelectionSetNode): void {
    for (const selection of selections) {
      if (!isIncluded(selection, scope.variables)) continue;
      if (selection.kind === Kind.FIELD) {
        const name = selection.alias?.value ?? selection.name.value;
        fields.set(name, [...(fields.get(name) ?? []), selection]);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        collect(selection.selectionSet);
      } else {
        const fragment = scope.fragments.get(selection.name.value);
        if (!fragment || opened.has(selection.name.value)) continue;
        opened.add(selection.name.value);
        collect(fragment.selectionSet);
      }
    }
  }

  for (const selectionSet of selectionSets) collect(selectionSet);
  return fields;
}

function isIncluded(node: SelectionNode, variables: Variables): boolean {
  if (!node.directives?.length) return true;
  const skip = getDirectiveValues(GraphQLSkipDirective, node, variables);
  const include = getDirectiveValues(GraphQLIncludeDirective, node, variables);
  return skip?.if !== true && include?.if !== false;
}
