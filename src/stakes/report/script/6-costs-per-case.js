
  // ---- costs per case: a factor on every miss, and the share
  const perCase = () => {
    const rules = each.rules.map((rule_) => Object.fromEntries(Object.entries(rule_).map(([name, part]) =>
      [name, name === "along" ? part : unpack(part)])));
    const [w0, w1] = each.totals;
    const [[z0, c1], [c0, z1]] = each.always;
    const factorAt = (i) => (i === 0 ? 1 : Math.exp(each.step * i));
    const shareAt = (j) => (j === 0 ? app.priors[1] : 1 / (1 + Math.exp(-(each.logOdds + each.step * j))));
    const compute = (i, j) => {
      const [factor, share] = [factorAt(i), shareAt(j)];
      const stop = { both: (i + each.factors) * (2 * each.shares + 1) + j + each.shares,
        one: i + j + each.factors + each.shares, none: 0 };
      const wait = (1 - share) * z0 + share * factor * c0;
      const act = (1 - share) * c1 + share * factor * z1;
      const naive = Math.min(wait, act);
      const excess = rules.map((r) => (1 - share) * (r.alarm_costs[stop[r.along]] / w0 + z0) +
        share * factor * (r.miss_costs[stop[r.along]] / w1 + z1));
      return { factor, share, naive, stop, nec: excess.map((cost) => cost / naive), decision: app.decisions[wait <= act ? 0 : 1] };
    };
    let payer = null;
    const pay = ({ factor, share, stop }) => {
      if (!$("payer")) return;
      const r = rules[Number($("payer").value)];
      const [alarms, added, kept0, missed, lost, kept1] = ["alarms", "alarm_costs", "alarm_saved", "misses",
        "miss_costs", "miss_saved"].map((name) => r[name][stop[r.along]]);
      payers([1 - share, share], [[w0 - alarms, alarms], [missed, w1 - missed]], [
        [(1 - share) * ((each.correct[0] - kept0) / w0), (1 - share) * ((added + kept0) / w0)],
        [share * ((factor * lost + kept1) / w1), share * ((each.correct[1] - kept1) / w1)],
      ]);
    };
    const show = () => {
      const [i, j] = [Number($("factor").value), Number($("share").value)];
      const scale = typed("scale") > 0 ? typed("scale") : 1;
      const now = compute(i, j);
      const moved = i !== 0 || j !== 0;
      const rescales = scale !== 1 || volume() !== app.volume;
      leave(moved || rescales);
      written("factor", three(now.factor), `${three(now.factor)} times`);
      written("share", shareText(now.share), rate(now.share));
      const nec = moved ? now.nec : stated.map((model) => model.nec);
      const best = fill(nec, now.naive * scale, now.decision, moved);
      if (moved) {
        rules.forEach((r, n) => {
          const cut = r.cuts && r.cuts[now.stop[r.along]];
          if (r.cuts) put(`rule-${n}`, rule(n, cut), cut);
          else if (stated[n].rule) put(`rule-${n}`, stated[n].rule);
        });
        announce(unsure(nec, now.naive * scale, now.decision, ""));
      } else announce(rescales ? rescaled(scale) : statedVerdict);
      if ($("chart-factor")) {
        upright("factor", each.step * i);
        const { top } = ceiling("factor");
        names.forEach((_, n) => place("factor", n, j === 0 && nec[n] <= top ? each.step * i : NaN, nec[n]));
      }
      if (payer === null && $("payer")) $("payer").value = String(best);
      pay(now);
      marked(i === 0 && scale === 1 ? (j !== 0 ? `--prevalence ${precise(now.share)}` : "") + volumeOption() : "");
    };
    redraw = show;
    control("factor", { at: factorAt, scale: Math.log, act: show });
    control("share", { at: (j) => 100 * shareAt(j), scale: odds, act: show });
    ["volume", "scale"].forEach((id) => listen(id, "input", show));
    listen("payer", "change", () => { payer = Number($("payer").value); show(); });
    const near = (x) => Math.max(-each.factors, Math.min(each.factors, Math.round(x / each.step)));
    reader("factor", (x) => {
      const now = compute(near(x), Number($("share").value));
      return `miss costs times ${three(now.factor)}, share ${rate(now.share)}: NEC ` +
        list((name, n) => `${name} ${now.nec[n].toFixed(3)}`);
    });
    clicked("factor", (x) => { $("factor").value = String(near(x)); show(); });
    trust("reliability", page.points.reliability || {});
    show();
  };
