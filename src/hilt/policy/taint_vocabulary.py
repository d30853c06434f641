"""Words that may stand for one another when a person asks for something.

Everyday office vocabulary in English and Chinese, written down from general use. It names no tool,
no task and no value; a tool's own `verbs` and `nouns` come first, and are widened by these groups.
"""


def _groups(written: str) -> tuple[tuple[str, ...], ...]:
    """Groups end with a semicolon, words with a comma."""
    return tuple(tuple(word.strip() for word in group.split(",")) for group in written.split(";"))


VERBS = _groups("""
create, make, add, new, set up, draft, write, generate, prepare, compose, produce, 新建, 创建, 建立, 添加,
    生成, 起草, 写, 做;
add, append, include, insert, put, attach, extend, 添加, 追加, 加入, 加上, 插入, 放进;
delete, remove, erase, discard, trash, drop, clear, clean up, get rid of, throw away, wipe, 删除, 删掉, 删,
    移除, 清除, 清理, 去掉, 扔掉;
cancel, call off, abort, revoke, withdraw, 取消, 撤销, 作废;
send, sent, email, mail, message, dm, forward, reply, respond, answer, write, wrote, tell, notify, inform,
    let know, ping, contact, reach out, deliver, text, submit, 发送, 发给, 发, 寄, 转发, 回复, 回信, 告诉,
    通知, 写信, 联系, 提交;
post, publish, upload, announce, share, put up, write, reply, respond, comment, send, 发布, 发表, 上传, 张贴,
    公布, 发帖, 评论;
share, give access, grant, permit, invite, 分享, 共享, 授权, 给权限;
invite, ask to join, onboard, 邀请, 请进, 拉进;
join, add, put, assign, enrol, enroll, 加入, 加进, 拉进, 分配;
pay, paid, transfer, wire, remit, refund, reimburse, settle, send, give back, pay back, donate, tip, 付款,
    支付, 付, 转账, 汇款, 汇, 退款, 还款, 缴;
buy, purchase, order, checkout, check out, acquire, 购买, 买, 下单, 订购, 采购;
book, reserve, make reservation, make booking, 预订, 预定, 订, 预约;
schedule, plan, arrange, organise, organize, set up, book, create, 安排, 计划, 定时, 预约;
reschedule, move, postpone, shift, delay, bring forward, push back, 改期, 推迟, 提前, 挪;
change, update, modify, edit, adjust, correct, alter, set, fix, revise, amend, replace, 修改, 更改, 更新, 改,
    调整, 变更, 更换, 设置, 纠正;
reset, change, renew, rotate, 重置, 重设, 更换;
exchange, swap, replace, trade, 换, 换货, 更换;
return, send back, give back, 退货, 退回, 归还;
rename, call, name, 改名, 重命名, 命名;
move, relocate, transfer, 移动, 搬, 转移;
copy, duplicate, clone, 复制, 拷贝;
save, store, keep, record, note, write down, 保存, 存, 记录, 记下;
run, execute, start, launch, trigger, 运行, 执行, 启动, 触发;
stop, end, terminate, kill, close, shut down, 停止, 结束, 关闭, 终止;
open, enable, activate, turn on, 打开, 启用, 开启, 激活;
disable, deactivate, turn off, block, suspend, 禁用, 停用, 关掉, 封;
approve, accept, confirm, agree, merge, 批准, 同意, 接受, 确认, 合并;
reject, decline, refuse, deny, 拒绝, 否决;
subscribe, sign up, register, enrol, enroll, 订阅, 注册, 报名;
unsubscribe, sign off, opt out, 退订, 取消订阅;
kick, remove, expel, ban, throw out, 踢, 移除, 移出
""")
"""What is done."""

NOUNS = _groups("""
email, mail, e-mail, inbox, letter, message, 邮件, 电邮, 邮箱, 信, 信件;
message, dm, direct message, chat, text, note, 消息, 私信, 信息, 短信, 留言;
channel, group, room, thread, conversation, 频道, 群, 群组, 聊天室;
event, meeting, appointment, calendar, call, lunch, dinner, breakfast, reminder, session, meetup, class,
    lesson, party, interview, conference, webinar, check-up, 日程, 会议, 活动, 日历, 约会, 预约, 提醒, 午餐,
    晚餐;
participant, attendee, guest, invitee, invite, 参与者, 参会者, 与会者, 客人, 嘉宾;
file, document, doc, docx, pdf, xlsx, spreadsheet, sheet, report, folder, list, notes, txt, drive, 文件, 文档,
    表格, 报告, 文件夹, 清单, 笔记;
money, payment, transfer, transaction, bill, invoice, rent, refund, fee, amount, share, difference,
    subscription, salary, debt, bank, 钱, 款, 付款, 转账, 账单, 发票, 房租, 费用, 退款, 工资;
order, purchase, item, product, cart, package, delivery, 订单, 商品, 购物车, 包裹;
account, profile, information, info, details, address, data, 账户, 账号, 资料, 个人信息, 地址;
user, person, people, member, colleague, employee, teammate, customer, everybody, everyone, 用户, 成员, 同事,
    员工, 客户, 大家;
password, passcode, pin, credential, secret, token, 密码, 口令, 凭证, 密钥;
page, webpage, web page, website, web site, site, blog, wiki, 网页, 网站, 页面, 博客;
reservation, booking, stay, 预订, 订单, 预约;
hotel, room, accommodation, stay, 酒店, 旅馆, 宾馆, 房间, 住宿;
restaurant, table, dinner, lunch, meal, 餐厅, 饭店, 餐馆, 桌;
car, vehicle, rental, 汽车, 车, 租车;
flight, ticket, plane, trip, seat, 航班, 机票, 票, 座位;
task, issue, ticket, todo, to-do, bug, request, case, 任务, 工单, 问题, 待办;
comment, reply, review, feedback, 评论, 回复, 反馈;
picture, image, photo, video, 图片, 照片, 视频;
contact, address book, phone number, 联系人, 通讯录;
branch, commit, pull request, merge request, repository, repo, code, 分支, 提交, 仓库, 代码;
database, table, row, record, entry, 数据库, 记录, 条目
""")
"""To what it is done."""
