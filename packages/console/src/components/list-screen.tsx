import type { ComponentChildren } from 'preact';
import { useShortcut } from '../shell/shortcuts.tsx';
import { Button } from './button.tsx';
import { type Show, useDialog } from './dialog.tsx';
import type { IconName } from './icon-names.ts';
import type { MenuItem } from './menu.tsx';
import { Page } from './page.tsx';
import { Empty } from './states.tsx';
import { Table, type TableProps } from './table.tsx';

interface ListScreenProps<T> extends Omit<TableProps<T>, 'label' | 'empty' | 'actions'> {
  readonly texts: {
    readonly title: string;
    readonly description: string;
    readonly create?: string;
    /** In the place of the table while the list has no rows at all. @default nothing */
    readonly emptyTitle?: string;
    readonly empty?: string;
  };
  readonly icon: IconName;
  readonly above?: ComponentChildren;
  /** Makes the dialog that creates a row. */
  readonly create?: (show: Show) => ComponentChildren;
  /** Further buttons of the screen. */
  readonly buttons?: (show: Show) => ComponentChildren;
  /** The menu of a row. */
  readonly actions?: (row: T, show: Show) => readonly MenuItem[];
  /** Between the heading and the table. */
  readonly children?: ComponentChildren;
}

/** A screen that is a list, with the dialogs of its rows. */
export function ListScreen<T>(props: ListScreenProps<T>) {
  const { texts, icon, above, create, buttons, actions, children, ...table } = props;
  const { dialog, show } = useDialog();
  const open = () => create && show(create(show));
  useShortcut(create && 'n', texts.create ?? '', open);
  const button = create && (
    <Button kind="primary" icon="plus" onClick={open}>
      {texts.create}
    </Button>
  );
  const further = buttons?.(show);
  return (
    <Page
      title={texts.title}
      description={texts.description}
      above={above}
      actions={
        (further || button) && (
          <>
            {further}
            {button}
          </>
        )
      }
    >
      {children}
      <Table
        {...table}
        label={texts.title}
        {...(actions && { actions: (row: T) => actions(row, show) })}
        empty={
          texts.emptyTitle && (
            <Empty icon={icon} title={texts.emptyTitle} action={button}>
              {texts.empty}
            </Empty>
          )
        }
      />
      {dialog}
    </Page>
  );
}
