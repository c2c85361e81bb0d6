import type { ComponentChildren } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';
import type { IconName } from './icon-names.ts';

export interface MenuItem {
  readonly label: string;
  readonly icon?: IconName;
  readonly isDangerous?: boolean;
  /** Of a choice: whether this is the present one. */
  readonly isChosen?: boolean;
  readonly onSelect: () => void;
}

interface MenuProps {
  /** The name of the menu, and of a button that shows an icon alone. */
  readonly label: string;
  /** Whether the content of the button names it. @default false */
  readonly isNamed?: boolean;
  readonly items: readonly MenuItem[];
  readonly children: ComponentChildren;
  /** The class of the button. @default `button quiet icon-only` */
  readonly buttonClass?: string;
}

/** A button with a menu, by the pattern of the ARIA Authoring Practices Guide. */
export function Menu({
  label,
  items,
  children,
  isNamed = false,
  buttonClass = 'button quiet icon-only',
}: MenuProps) {
  const id = useId();
  // A long table has a menu in each row: only an open one has its entries in the page.
  const [isOpen, setOpen] = useState(false);
  /** The entry that gets the focus when the menu opens: -1 is the last one. */
  const firstFocus = useRef(0);
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const entries = () => [
    ...(list.current?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? []),
  ];
  const focus = (index: number) => {
    const all = entries();
    all[(index + all.length) % all.length]?.focus();
  };
  const select = (item: MenuItem) => {
    list.current?.hidePopover();
    // A dialog that opens now gives the focus back to the button.
    button.current?.focus();
    item.onSelect();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class={buttonClass}
        popovertarget={id}
        aria-haspopup="menu"
        aria-label={isNamed ? undefined : label}
        title={label}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
          event.preventDefault();
          firstFocus.current = event.key === 'ArrowDown' ? 0 : -1;
          list.current?.showPopover();
          // The entries are there a moment later: a further key must not reach the button.
          list.current?.focus();
        }}
      >
        {children}
      </button>
      <div
        ref={list}
        id={id}
        popover="auto"
        role="menu"
        tabIndex={-1}
        class="menu"
        aria-label={label}
        onBeforeToggle={({ newState }) => newState === 'open' && setOpen(true)}
        onToggle={({ newState }) => {
          if (newState !== 'open') {
            setOpen(false);
            firstFocus.current = 0;
          } else if (button.current && list.current) {
            place(list.current, button.current);
            if (
              document.activeElement === list.current ||
              !list.current.contains(document.activeElement)
            )
              focus(firstFocus.current);
          }
        }}
        onKeyDown={(event) => {
          const at = entries().indexOf(document.activeElement as HTMLElement);
          const before = at < 0 ? -1 : at - 1;
          const target = { ArrowDown: at + 1, ArrowUp: before, Home: 0, End: -1 }[event.key];
          if (target !== undefined) {
            event.preventDefault();
            focus(target);
          } else if (event.key === 'Tab') list.current?.hidePopover();
        }}
      >
        {isOpen &&
          items.map((item) => (
            <button
              key={item.label}
              type="button"
              role={item.isChosen === undefined ? 'menuitem' : 'menuitemradio'}
              aria-checked={item.isChosen}
              tabIndex={-1}
              class={item.isDangerous ? 'menu-item danger' : 'menu-item'}
              onClick={() => select(item)}
            >
              {item.icon ? (
                <Icon name={item.icon} />
              ) : (
                item.isChosen !== undefined && <span class="icon" />
              )}
              <span>{item.label}</span>
              {item.isChosen && <Icon name="check" />}
            </button>
          ))}
      </div>
    </>
  );
}

/** Puts a menu below its button, or above it where there is more room, inside the window. */
function place(menu: HTMLElement, button: HTMLElement): void {
  const gap = 4;
  const at = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = menu;
  const below = at.bottom + gap;
  const fitsBelow = below + height <= innerHeight;
  const left = at.left + width <= innerWidth - gap ? at.left : at.right - width;
  menu.style.left = `${Math.max(gap, left)}px`;
  menu.style.top = `${fitsBelow ? below : Math.max(gap, at.top - gap - height)}px`;
}
