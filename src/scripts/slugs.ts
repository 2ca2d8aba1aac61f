import type { Logger } from '../shared/log.ts';
import type { Catalogue } from './catalogue.ts';
import type { Script } from './script.ts';
import { hasChinese, isUuid, slugFrom } from './slug.ts';
import type { SlugEntry, SlugStore } from './slug-store.ts';

interface SlugsOptions {
  catalogue: Pick<Catalogue, 'version' | 'scripts' | 'has' | 'isPackaged' | 'lookForNew'>;
  store: SlugStore;
  /** Replaces the Chinese characters of each name with their pinyin. */
  romanize: (names: readonly string[]) => Promise<readonly string[]>;
  log: Logger;
}

const idDigits = 8;
const pinyinPauseMs = 60_000;

/**
 * The slug of each script: a short name for commands and addresses. A script gets its slug once and keeps it when it is renamed. A slug that
 * its script no longer uses, or whose script was removed, still belongs to that script until another one takes it.
 */
export class Slugs {
  readonly #options: SlugsOptions;
  readonly #bySlug = new Map<string, SlugEntry>();
  /** The current slug of each script, by id. */
  readonly #byScript = new Map<string, SlugEntry>();
  #isLoaded = false;
  /** The version of the catalogue whose scripts all have a slug. */
  #version = -1;
  #updating: Promise<void> | undefined;
  #hasFailed = false;
  /** The names that were converted, and their pinyin. */
  readonly #pinyin = new Map<string, string>();
  /** When to try the conversion again after a failure. */
  #pinyinAgainMs = Number.POSITIVE_INFINITY;

  constructor(options: SlugsOptions) {
    this.#options = options;
  }

  /** Assigns slugs to new scripts. Does not reject: after a failure, the next call tries again. */
  update(): Promise<void> {
    const isDue = performance.now() >= this.#pinyinAgainMs;
    if (this.#version === this.#options.catalogue.version && !isDue) return Promise.resolve();
    this.#updating ??= this.#assignAll().finally(() => {
      this.#updating = undefined;
    });
    return this.#updating;
  }

  /** The slug of a script as of the last update. */
  of(scriptId: string): string {
    return this.#byScript.get(scriptId)?.slug ?? scriptId.slice(0, idDigits);
  }

  /** The id of the script with this slug as of the last update, or null. */
  known(slug: string): string | null {
    const text = slug.toLowerCase();
    return this.#bySlug.get(text)?.scriptId ?? this.#unnamed(text);
  }

  /** The id of the script with this id or slug; null if no script has the slug. */
  async find(idOrSlug: string): Promise<string | null> {
    const text = idOrSlug.toLowerCase();
    if (isUuid(text)) return text;
    await this.update();
    const known = this.known(text);
    if (known !== null) return known;
    // The folder of a new script may not have been noticed yet.
    await this.#options.catalogue.lookForNew();
    await this.update();
    return this.known(text);
  }

  async #assignAll(): Promise<void> {
    const { catalogue, store, log } = this.#options;
    try {
      if (!this.#isLoaded) this.#remember(store.all());
      this.#isLoaded = true;
      let mayConvert = true;
      for (;;) {
        const scripts = this.#withoutSlug();
        const chinese = scripts.filter((script) => this.#needsPinyin(script));
        const ready = scripts.filter((script) => !this.#needsPinyin(script));
        // The catalogue may change during the conversion, so the next round looks again.
        if (chinese.length > 0 && mayConvert) mayConvert = await this.#romanize(chinese);
        // A script of the user may have taken the slug of a package, which needs another one in the next round.
        else if (ready.length > 0) this.#assign(ready);
        else break;
      }
      this.#version = catalogue.version;
      this.#hasFailed = false;
    } catch (error) {
      // Scripts must be listed even if the disk is full. One line in the log is enough until a write succeeds.
      if (!this.#hasFailed) log.error({ err: error }, 'cannot store the slugs of scripts');
      this.#hasFailed = true;
    }
  }

  #needsPinyin({ wantedSlug, name }: Script): boolean {
    return wantedSlug === null && hasChinese(name) && !this.#pinyin.has(name);
  }

  /** Returns whether the conversion works. If not, its scripts get no slug yet, because a script keeps its slug for good. */
  async #romanize(scripts: readonly Script[]): Promise<boolean> {
    const { romanize, log } = this.#options;
    const names = scripts.map(({ name }) => name);
    try {
      for (const [index, text] of (await romanize(names)).entries())
        this.#pinyin.set(names[index] ?? '', text);
      this.#pinyinAgainMs = Number.POSITIVE_INFINITY;
      return true;
    } catch (error) {
      log.warn({ err: error }, 'cannot convert Chinese names to pinyin; will try again');
      this.#pinyinAgainMs = performance.now() + pinyinPauseMs;
      return false;
    }
  }

  /** The id of the script without a slug that is shown with these first digits of its id. */
  #unnamed(digits: string): string | null {
    const scripts = this.#options.catalogue.scripts().filter(({ id }) => !this.#byScript.has(id));
    return scripts.find(({ id }) => this.of(id) === digits)?.id ?? null;
  }

  /** The scripts that need a slug. Scripts of the user come first, then declared slugs. The ids make the order the same on every machine. */
  #withoutSlug(): Script[] {
    const rankOf = (script: Script) => (this.#isOwn(script) ? 0 : 2) + (script.wantedSlug === null ? 1 : 0);
    const scripts = this.#options.catalogue
      .scripts()
      .sort((one, other) => rankOf(one) - rankOf(other) || (one.id < other.id ? -1 : 1));
    // Two folders may contain the same script.
    const seen = new Set<string>();
    return scripts.filter((script) => {
      if (seen.has(script.id)) return false;
      seen.add(script.id);
      const current = this.#byScript.get(script.id);
      return current === undefined || current.isOwn !== this.#isOwn(script) || isOtherSlug(script, current);
    });
  }

  #assign(scripts: readonly Script[]): void {
    const changes = new Map<string, SlugEntry>();
    const holderOf = (slug: string) => changes.get(slug) ?? this.#bySlug.get(slug);
    // First release the slugs that are replaced: two scripts may swap theirs.
    for (const script of scripts) {
      const former = this.#byScript.get(script.id);
      if (former !== undefined && isOtherSlug(script, former))
        changes.set(former.slug, { ...former, isCurrent: false });
    }
    for (const script of scripts) {
      const { id, name, wantedSlug } = script;
      const isOwn = this.#isOwn(script);
      const former = this.#byScript.get(id);
      const hasFormer = former !== undefined && holderOf(former.slug)?.scriptId === id;
      if (hasFormer && !isOtherSlug(script, former)) {
        // Only its folder changed, from the user to a package or back.
        changes.set(former.slug, { ...former, isOwn });
        continue;
      }
      const base = wantedSlug ?? slugFrom(this.#pinyin.get(name) ?? name) ?? id.slice(0, idDigits);
      let slug = base;
      for (let number = 2; !this.#mayTake(script, holderOf(slug), number > 2); number++)
        slug = `${base}-${number}`;
      changes.set(slug, { slug, scriptId: id, isCurrent: true, isOwn, declared: wantedSlug });
    }
    this.#options.store.put([...changes.values()]);
    this.#remember(changes.values());
  }

  /**
   * A slug that is not in use may be taken. A script of the user takes its slug, without a number, even from a package that uses it. A package
   * never takes a slug of a script of the user, not even of a removed one.
   */
  #mayTake(script: Script, holder: SlugEntry | undefined, isNumbered: boolean): boolean {
    if (holder === undefined || holder.scriptId === script.id) return true;
    const isOwn = this.#isOwn(script);
    if (isOwn && !holder.isOwn && !isNumbered) return true;
    if (holder.isOwn && !isOwn) return false;
    return !holder.isCurrent || !this.#options.catalogue.has(holder.scriptId);
  }

  #isOwn({ folder }: Script): boolean {
    return !this.#options.catalogue.isPackaged(folder);
  }

  #remember(entries: Iterable<SlugEntry>): void {
    for (const entry of entries) {
      const previous = this.#bySlug.get(entry.slug);
      this.#bySlug.set(entry.slug, entry);
      if (previous !== undefined && this.#byScript.get(previous.scriptId) === previous)
        this.#byScript.delete(previous.scriptId);
      if (entry.isCurrent) this.#byScript.set(entry.scriptId, entry);
    }
  }
}

/** Whether the manifest asks for another slug than before. A manifest without one keeps what the script has. */
function isOtherSlug({ wantedSlug }: Script, { declared }: SlugEntry): boolean {
  return wantedSlug !== null && wantedSlug !== declared;
}
