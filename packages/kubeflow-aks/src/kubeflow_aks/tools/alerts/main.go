// Prometheus' rule and query engine over kube-state-metrics, both fed with states of a cluster at times of their own: a line of JSON
// in, the alerts that fire out. Their own programs scrape at the machine's time.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/relabel"
	"github.com/prometheus/prometheus/model/textparse"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/rules"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"k8s.io/kube-state-metrics/v2/pkg/builder"
	generator "k8s.io/kube-state-metrics/v2/pkg/metric_generator"
	metricsstore "k8s.io/kube-state-metrics/v2/pkg/metrics_store"
	"k8s.io/kube-state-metrics/v2/pkg/options"
)

var resources = []string{"nodes", "pods", "jobs", "daemonsets", "deployments", "statefulsets"}
var kinds = []string{"Node", "Pod", "Job", "DaemonSet", "Deployment", "StatefulSet"}

// What is observed at one time: all objects of the cluster, the same as before where there are none, and what was scraped beside
// kube-state-metrics.
type state struct {
	Time    float64           `json:"time"`
	Objects []json.RawMessage `json:"objects"`
	Scraped []scraped         `json:"scraped"`
}

type scraped struct {
	Labels map[string]string `json:"labels"`
	Text   string            `json:"text"`
}

type play struct {
	stores  map[string]*metricsstore.MetricsStore
	writers []*metricsstore.MetricsWriter
	keep    relabel.Regexp
	db      *tsdb.DB
	engine  *promql.Engine
	groups  map[string]*rules.Group
	last    map[string]map[uint64]labels.Labels
}

// Those of kube-state-metrics without anything that watches: its context has ended before it begins.
func (p *play) makeStores(allowed string) error {
	ended, end := context.WithCancel(context.Background())
	end()
	client, err := kubernetes.NewForConfig(&rest.Config{})
	if err != nil {
		return err
	}
	shown := options.LabelsAllowList{}
	if err := shown.Set(allowed); err != nil {
		return err
	}
	p.stores = map[string]*metricsstore.MetricsStore{}
	for number, resource := range resources {
		b := builder.NewBuilder()
		b.WithMetrics(prometheus.NewRegistry())
		b.WithContext(ended)
		b.WithKubeClient(client)
		b.WithNamespaces(options.DefaultNamespaces)
		b.WithSharding(0, 1)
		b.WithGenerateStoresFunc(b.DefaultGenerateStoresFunc())
		b.WithFamilyGeneratorFilter(generator.NewCompositeFamilyGeneratorFilter())
		if err := b.WithEnabledResources([]string{resource}); err != nil {
			return err
		}
		if err := b.WithAllowLabels(shown); err != nil {
			return err
		}
		store := b.BuildStores()[0][0].(*metricsstore.MetricsStore)
		p.stores[kinds[number]] = store
		p.writers = append(p.writers, metricsstore.NewMetricsWriter(resource, store))
	}
	return nil
}

// The objects, in place of those before.
func (p *play) replace(texts []json.RawMessage) error {
	objects := map[string][]any{}
	decoder := scheme.Codecs.UniversalDeserializer()
	for _, text := range texts {
		object, kind, err := decoder.Decode(text, nil, nil)
		if err != nil {
			if runtime.IsNotRegisteredError(err) {
				continue
			}
			return err
		}
		objects[kind.Kind] = append(objects[kind.Kind], object)
	}
	for kind, store := range p.stores {
		if err := store.Replace(objects[kind], ""); err != nil {
			return err
		}
	}
	return nil
}

func (p *play) observe(now state) error {
	if now.Objects != nil {
		if err := p.replace(now.Objects); err != nil {
			return err
		}
	}
	var text bytes.Buffer
	for _, writer := range p.writers {
		if err := writer.WriteAll(&text); err != nil {
			return err
		}
	}
	scrapes := append(now.Scraped, scraped{map[string]string{"job": "kube-state-metrics"}, text.String()})
	at := int64(now.Time * 1000)
	appender := p.db.AppenderV2(context.Background())
	present := map[string]map[uint64]labels.Labels{}
	for _, scrape := range scrapes {
		target := labels.FromMap(scrape.Labels)
		series, err := p.add(appender, target, scrape.Text, at)
		if err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
		present[target.String()] = series
	}
	for target, before := range p.last {
		for hash, series := range before {
			if _, remains := present[target][hash]; !remains {
				stale := math.Float64frombits(value.StaleNaN)
				if _, err := appender.Append(0, series, 0, at, stale, nil, nil, storage.AOptions{}); err != nil {
					return err
				}
			}
		}
	}
	p.last = present
	return appender.Commit()
}

// Adds what one target answers, and returns the series.
func (p *play) add(appender storage.AppenderV2, target labels.Labels, text string, at int64) (map[uint64]labels.Labels, error) {
	present := map[uint64]labels.Labels{}
	samples := textparse.NewPromParser([]byte(text), labels.NewSymbolTable(), false)
	for {
		entry, err := samples.Next()
		if errors.Is(err, io.EOF) {
			return present, nil
		}
		if err != nil {
			return nil, err
		}
		if entry != textparse.EntrySeries {
			continue
		}
		var series labels.Labels
		samples.Labels(&series)
		if !p.keep.MatchString(series.Get(model.MetricNameLabel)) {
			continue
		}
		merged := labels.NewBuilder(series)
		target.Range(func(label labels.Label) { merged.Set(label.Name, label.Value) })
		series = merged.Labels()
		_, _, sample := samples.Series()
		if _, err := appender.Append(0, series, 0, at, sample, nil, nil, storage.AOptions{}); err != nil {
			return nil, err
		}
		present[series.Hash()] = series
	}
}

func (p *play) loadRules(file string) error {
	manager := rules.NewManager(&rules.ManagerOptions{
		QueryFunc:  rules.EngineQueryFunc(p.engine, p.db),
		Appendable: p.db,
		Context:    context.Background(),
		NotifyFunc: func(context.Context, string, ...*rules.Alert) {},
		Logger:     slog.New(slog.DiscardHandler),
		Parser:     parser.NewParser(parser.Options{}),
	})
	groups, failures := manager.LoadGroups(time.Minute, labels.EmptyLabels(), "", nil, false, file)
	p.groups = groups
	return errors.Join(failures...)
}

// Evaluates every rule, and returns the labels of the alerts that fire.
func (p *play) firing(at time.Time) ([]map[string]string, error) {
	firing := []map[string]string{}
	for _, group := range p.groups {
		group.Eval(context.Background(), at)
		for _, rule := range group.Rules() {
			if err := rule.LastError(); err != nil {
				return nil, fmt.Errorf("%s: %w", rule.Name(), err)
			}
			for _, alert := range rule.(*rules.AlertingRule).ActiveAlerts() {
				if alert.State == rules.StateFiring {
					described := alert.Labels.Map()
					alert.Annotations.Range(func(text labels.Label) { described[text.Name] = text.Value })
					firing = append(firing, described)
				}
			}
		}
	}
	return firing, nil
}

func run(in io.Reader, out io.Writer, ruleFile, allowed, keep, queries string, step time.Duration) error {
	folder, err := os.MkdirTemp("", "alert-rules-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	settings := tsdb.DefaultOptions()
	settings.WALSegmentSize = -1
	settings.MinBlockDuration = int64(10000 * time.Hour / time.Millisecond)
	settings.MaxBlockDuration = settings.MinBlockDuration
	settings.RetentionDuration = 0
	p := play{last: map[string]map[uint64]labels.Labels{}}
	if p.keep, err = relabel.NewRegexp(keep); err != nil {
		return err
	}
	if p.db, err = tsdb.Open(folder, nil, nil, settings, nil); err != nil {
		return err
	}
	defer p.db.Close()
	p.engine = promql.NewEngine(promql.EngineOpts{
		MaxSamples: 50_000_000, Timeout: time.Minute, LookbackDelta: 5 * time.Minute, EnableAtModifier: true,
		Parser: parser.NewParser(parser.Options{}),
	})
	if err := p.makeStores(allowed); err != nil {
		return err
	}
	if err := p.loadRules(ruleFile); err != nil {
		return err
	}
	lines, answers := json.NewDecoder(in), json.NewEncoder(out)
	var first, last time.Time
	for {
		var now state
		if err := lines.Decode(&now); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		if err := p.observe(now); err != nil {
			return err
		}
		last = time.UnixMilli(int64(now.Time * 1000))
		if first.IsZero() {
			first = last
		}
		firing, err := p.firing(last)
		if err != nil {
			return err
		}
		if err := answers.Encode(map[string]any{"time": now.Time, "firing": firing}); err != nil {
			return err
		}
	}
	asked := map[string]string{}
	if err := json.Unmarshal([]byte(queries), &asked); err != nil {
		return err
	}
	for name, text := range asked {
		query, err := p.engine.NewRangeQuery(context.Background(), p.db, nil, text, first, last, step)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		result := query.Exec(context.Background())
		if result.Err != nil {
			return fmt.Errorf("%s: %w", name, result.Err)
		}
		if err := answers.Encode(map[string]any{"query": name, "result": result.Value}); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	ruleFile := flag.String("rules", "", "file with Prometheus' rules")
	allowed := flag.String("labels", "", "kube-state-metrics' --metric-labels-allowlist")
	keep := flag.String("keep", ".*", "regular expression of the names of the metrics that are kept")
	queries := flag.String("queries", "{}", "queries by name, as JSON, that are answered over the whole time")
	step := flag.Duration("step", time.Minute, "interval of the queries' answers")
	flag.Parse()
	klog.SetOutput(io.Discard)
	klog.LogToStderr(false)
	if err := run(os.Stdin, os.Stdout, *ruleFile, *allowed, *keep, *queries, *step); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
