"""What words of a declaration show, as tables: verbs by what they do, things by whose they are.

General vocabulary only. Verbs are PowerShell's approved ones and the subtypes of schema.org's `Action`, with
everyday synonyms; things are schema.org's `CreativeWork`, `Message` and `Product` families, the resources that
mail, calendar, file and messenger interfaces have in common, and GDPR's examples of personal data. No product, server,
suite or task is named, and none may be added: a word belongs here where it means this in any declaration.
"""

from collections.abc import Mapping
from typing import Literal

Doing = Literal["read", "compute", "make", "send", "spend", "destroy", "run", "grant"]
Trait = Literal["private", "third-party", "public", "shared", "credential", "money", "vague"]


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _verbs(rows: Mapping[Doing, str]) -> dict[str, Doing]:
    return {word: doing for doing, words in rows.items() for word in words.split()}


def _things(rows: Mapping[tuple[Trait, ...], str]) -> dict[str, frozenset[Trait]]:
    found: dict[str, set[Trait]] = {}
    for traits, words in rows.items():
        for word in words.split():
            found.setdefault(word, set()).update(traits)
    return {word: frozenset(traits) for word, traits in found.items()}


VERBS: Mapping[str, Doing] = _verbs(
    {
        "read": """
            get read search look find retrieve fetch show describe list lookup browse inspect explore discover
            extract return enumerate count download export scan crawl scrape recall view check tail peek display
            analyze analyse diagnose compare verify monitor poll preview capture dump explain visit navigate goto
            recommend summarize summarise access examine collect gather pull receive query watch load open
            aggregate take expand provide track locate identify suggest filter rank lint trace
            读取 查看 查询 搜索 检索 获取 列出 浏览 下载 抓取 访问 打开 查找 导出 阅读""",
        "compute": """
            convert calculate compute think echo encode decode hash parse translate sort round sum format
            validate detect classify estimate measure plan reflect wait sleep generate simulate compress test
            subtract multiply divide
            计算 转换 翻译 格式化 验证 估算 思考 等待""",
        "make": """
            create add insert update edit set write append modify rename move copy save patch replace put store
            configure register enable disable start stop restart scale apply assign archive mark merge build
            refresh sync attach detach bind restore import pause resume schedule reschedule click hover drag
            press select close resize toggle initialize init install upgrade rollback make draft commit change
            record activate switch stage transition rebuild handle emulate manage fork connect highlight
            duplicate link complete annotate adjust scroll play lock unlock turn pin unpin star follow unfollow
            block mute vote react join leave accept decline approve reject snooze print deploy provision
            subscribe prescribe remind logout release
            创建 新建 添加 增加 更新 修改 编辑 写入 保存 设置 移动 复制 重命名 安排 安装 启动 停止 导入""",
        "send": """
            send forward reply invite publish upload submit broadcast notify announce share post push respond
            transmit dispatch deliver fill message email mail text comment type tweet call dial fax refer
            escalate ping contact mention retweet repost
            发送 转发 回复 分享 共享 邀请 发布 上传 提交 通知 群发 推送 评论""",
        "spend": """
            pay buy purchase order book reserve transfer charge donate refund withdraw deposit bid trade invest
            checkout redeem wire remit swap stake fund
            支付 付款 购买 下单 预订 转账 汇款 捐款 退款""",
        "destroy": """
            delete remove drop destroy purge wipe erase clear truncate cancel revoke terminate kill uninstall
            unlink discard reset prune flush unwatch unsubscribe deactivate undeploy abort
            删除 移除 清空 取消 销毁 撤销 卸载 终止""",
        "run": "run execute exec eval evaluate invoke launch 执行 运行 调用",
        "grant": "grant authorize authorise authenticate impersonate login 授权 登录",
    }
)
NOUNS_TOO = _set("""
    message email mail text comment type post share order book transfer charge deposit trade view check watch
    query log link record count draft commit copy mark set open plan format select stage patch archive schedule
    bid tail start register return pull change load drop reset fill stop display sort round tweet export import
    estimate measure access sum hash build push close press save search download upload monitor fork call dial
    fax ping checkout wire swap stake play lock turn pin star follow block vote print track trace rank filter
    test contact mention release fund""")
"""Verbs that are as often nouns: as the first word of a name they say little, so the description is asked first."""
PUBLISHING = _set("""
    create add insert update edit write append modify patch put merge draft commit assign transition submit set
    创建 新建 添加 更新 修改 编辑 写入""")
"""Verbs of making that put content where the thing is: on a shared one, others read it."""
LETTING_IN = _set("invite share grant assign 邀请 共享 授权")
"""Verbs by which a person given as an argument gets to see something; adding does so where it says to what."""
RUN_WORDS = _set("run runs execute executes executed evaluate evaluates evaluated invoke 执行 运行")
"""Words by which a tool or an argument says that something is run."""
SQL_WRITES = _set("insert update delete create alter drop write any arbitrary all ddl dml")
"""Beside one of these, SQL is not said to read only."""
CODE_WORDS = _set("javascript python shell sql bash code script command")

THINGS: Mapping[str, frozenset[Trait]] = _things(
    {
        ("private", "third-party"): """
            email mail inbox mailbox message chat conversation thread dm sms channel attachment document file
            drive calendar event meeting task todo ticket issue repository repo commit diff log console database
            table row record collection spreadsheet sheet cell slide presentation form transcript recording
            voicemail notification transaction statement customer lead memory clipboard screenshot snapshot
            notebook note code workbook source request invoice order case incident build worksheet chart
            邮件 收件箱 消息 聊天 会话 文件 文档 日历 日程 会议 任务 工单 数据库 表格 记录 交易 笔记 仓库 代码
            通知 订单""",
        ("private",): """
            account balance iban profile contact user member employee patient phone ssn passport card salary
            payroll setting environment env bookmark cluster pod deployment node namespace container directory
            folder symbol backup project workspace dashboard storage localstorage sessionstorage history
            preference reservation identity subscription appointment health configuration config resource
            organization team group tab schema metric username filesystem location
            账户 账号 余额 联系人 通讯录 用户 个人 护照 银行卡 工资 设置 环境变量 目录 文件夹 收藏 病历 身份""",
        ("third-party",): """
            page review feedback comment discussion reply reaction post feed pull advisory alert
            网页 评论 帖子 反馈 评价 留言""",
        ("public", "third-party"): """
            web webpage site website internet news article paper wiki blog forum rss tweet video podcast
            documentation doc docs library package abstract citation question answer story headline url research
            互联网 网站 新闻 文章 论文 博客 论坛 视频""",
        ("public",): """
            weather forecast place map direction geocode distance elevation coordinate city country hotel
            restaurant flight train car airline price rate rating currency exchange stock quote market time date
            day timezone holiday recipe movie product catalog company business hour cuisine dietary temperature
            unit number region language latitude longitude now today clock song music playlist alarm timer
            天气 地点 地图 城市 国家 酒店 餐厅 航班 火车 价格 汇率 股票 时间 日期 商品 公司""",
        ("private", "credential"): """
            secret password token credential cookie keychain passphrase otp kubeconfig env
            密码 密钥 令牌 凭证 口令""",
        ("shared",): """
            issue comment post discussion reply review gist pull wiki blog page tweet forum feed webpage website
            site channel thread release fork merge repository repo ticket
            评论 帖子 博客 论坛 网页 频道 工单""",
        ("money",): "transaction payment money invoice order purchase donation refund 交易 付款 款项 订单",
        ("vague",): """
            table row record cell collection source statement request order case form chart node container
            resource history tab schema metric element token account user organization customer
            表格 记录""",
    }
)
"""Whose a thing is, and who writes it. `shared`: what is written there others read. `vague`: a word that says this only
in a name, and not beside something public."""
OTHERWISE_BEHIND: Mapping[str, frozenset[str]] = {
    "code": _set(
        "postal zip post country language currency airport area error status exit response promo discount qr bar"
    ),
    "record": _set("dns mx world"),
    "table": _set("time multiplication lookup"),
    "card": _set("business score"),
    "drive": _set("test hard"),
}
"""Things that are something else behind one of these words."""
TELLING = _set("""
    email mail message chat file document review page webpage article comment issue transaction attachment note post sms
    inbox ticket 邮件 消息 文件 文档 网页 评论 交易""")
"""Things that are content itself: of several witnesses, one with such a thing is shown first."""
KEYS_FOLLOW = _set("by with using via as without")
"""Behind these a name says how something is found or made, not what."""

NOT_ITSELF = _set("is has use with include no")
"""As first word of a parameter: it says something of what is named, and is not it."""
ADDRESSES = _set("url uri urls uris href webhook endpoint hostname host proxy link links 网址 链接 地址")
"""Last words of parameters by which a call reaches a place of the caller's choice."""
RECEIVERS = _set("""
    recipient recipients cc bcc receiver receivers payee beneficiary participant participants attendee attendees guest
    guests invitee invitees collaborator collaborators 收件人 收款人 参与者 参会人 接收者 抄送""")
"""Parameters that name who receives something, whatever the verb is; looking up is the one exception."""
PERSONS = _set("email emails phone user users member members assignee audience person people 用户 邮箱 手机号")
"""Parameters that name a receiver where the verb sends, pays or lets someone in, and a key elsewhere."""
MAILBOXES = _set("channel channels chat room conversation address iban account destination contact 频道 账户")
"""Parameters that name where something is received, where the verb sends or pays, and a key elsewhere."""
SENT_TO = _set("to send_to mail_to deliver_to share_with")
"""Whole names of parameters that name where something is received; in a longer name, `to` may be a place or a date."""
OWN_SIDE = _set("from sender own my reply in")
"""Beside one of these, a person in a name of a parameter is who sends."""
COMMANDS = _set("""
    command commands cmd script code javascript js python sql shell expression program statement bash 命令 脚本 代码""")
ALWAYS_RUN = _set("command commands cmd shell bash 命令")
"""Names of arguments that nothing but running is done with, where a tool does anything."""
RUNNABLE = _set("function source snippet text input query statement body expression")
"""Names of arguments that are run where the tool says that it runs code, and no other argument is code."""
PATHS = _set("path paths file files filename filepath directory dir folder 路径 文件 目录")
CONTENTS = _set("""
    content contents body text message subject title description comment note html markdown value values prompt
    query summary caption reply answer payload fields
    内容 正文 标题 主题 消息""")
CREDENTIALS = _set("password token secret passphrase otp credential credentials apikey pin 密码 令牌 密钥")
TARGETS = _set("id ids name names uid key uuid identifier 编号 名称")
ARGUMENT_WORDS = ADDRESSES | RECEIVERS | PERSONS | MAILBOXES | COMMANDS | PATHS | CONTENTS | CREDENTIALS | TARGETS
"""Every word that names of arguments are read by."""
